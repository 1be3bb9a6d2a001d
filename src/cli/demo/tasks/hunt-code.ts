/** What the demo's engineer adds to the sample's tests and asks of its log. */

export const traffic = "mkdir -p logs && npm run -s traffic | tee logs/day.log";

export const tally = "grep -oE '(INFO|WARN|ERROR) +[a-z.-]+' logs/day.log | sort | uniq -c | sort -rn";

/** Orders whose pieces were held and neither taken nor given back. */
export function openOrders(log: string): string {
  return [
    `orders() { grep -E "$1" ${log} | grep -o 'order=o-[0-9]*' | sort -u; }`,
    "comm -23 <(orders stock.held) <(orders 'stock.(taken|released)') > logs/open.txt",
    "wc -l < logs/open.txt",
    "head -12 logs/open.txt",
  ].join("\n");
}

export const openEvents =
  "grep -wFf logs/open.txt logs/day.log | grep -oE '(order|payment|stock)\\.[a-z]+' | sort | uniq -c | sort -rn";

export const refusedTests = `  test("a refused payment gives the pieces back", async () => {
    const { desk, stock } = openDesk(async () => "refused");
    expect((await desk.place(orderOf("ember-stove", 2))).status).toBe(402);
    expect([stock.shelf("ember-stove"), stock.held("ember-stove")]).toEqual([3, 0]);
  });
`;

export const nextVisitorTests = `  test("whoever comes after a refused payment can have the last piece", async () => {
    const answers: ("paid" | "refused")[] = ["refused", "paid"];
    const { desk } = openDesk(async () => answers.shift() ?? "paid", 1);
    expect((await desk.place(orderOf("ember-stove", 1))).status).toBe(402);
    expect((await desk.place(orderOf("ember-stove", 1))).status).toBe(200);
  });
`;
