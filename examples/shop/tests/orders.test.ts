import { describe, expect, test } from "vitest";
import { createOrderDesk } from "../server/orders.ts";
import { createStock } from "../server/stock.ts";
import { products } from "../src/data/products.ts";
import type { Order } from "../src/types.ts";

type Payment = () => Promise<"paid" | "refused">;

const paid: Payment = async () => "paid";
const down: Payment = async () => {
  throw new Error("no answer");
};

/** An order desk with a full shelf. `events` are the names of what was logged. */
function openDesk(pay: Payment, pieces = 3) {
  const events: string[] = [];
  const log = (_level: string, event: string) => void events.push(event);
  const stock = createStock(new Map(products.map((one) => [one.id, pieces])), log);
  const now = () => new Date("2031-05-01T10:00:00Z");
  return { events, stock, desk: createOrderDesk({ products, stock, pay, log, now }) };
}

function orderOf(productId: string, quantity: number): Order {
  return {
    contact: { name: "Ada", email: "ada@example.org", street: "Lake Road 1", postcode: "12345", city: "Shore" },
    lines: [{ productId, quantity }],
  };
}

describe("the order desk", () => {
  test("a paid order leaves the shelf and gets a receipt", async () => {
    const { desk, stock } = openDesk(paid);
    const answer = await desk.place(orderOf("ember-stove", 1));
    expect(answer).toEqual({ status: 200, body: { orderId: "o-1001", total: 7490, expected: "2031-05-04" } });
    expect([stock.shelf("ember-stove"), stock.held("ember-stove")]).toEqual([2, 0]);
  });
  test("what is not there cannot be ordered", async () => {
    const { desk, events } = openDesk(paid);
    const answer = await desk.place(orderOf("ember-stove", 4));
    expect(answer).toEqual({ status: 409, body: { code: "sold-out" } });
    expect(events).toContain("stock.short");
  });
  test("a product that nobody knows is refused before anything is held", async () => {
    const { desk, events } = openDesk(paid);
    expect((await desk.place(orderOf("no-such-thing", 1))).status).toBe(422);
    expect(events).not.toContain("stock.held");
  });
  test("a payment service that does not answer gives the pieces back", async () => {
    const { desk, stock } = openDesk(down);
    expect((await desk.place(orderOf("ember-stove", 2))).status).toBe(503);
    expect([stock.shelf("ember-stove"), stock.held("ember-stove")]).toEqual([3, 0]);
  });
});
