import { total } from "../src/cart/cart.ts";
import { money } from "../src/format.ts";
import type { CartLine, Cents, Order, OrderReceipt, Product } from "../src/types.ts";
import type { Log } from "./log.ts";
import type { Stock } from "./stock.ts";

export type Answer = { readonly status: number; readonly body: OrderReceipt | { readonly code: string } };

export type OrderDeskOptions = {
  readonly products: readonly Product[];
  readonly stock: Stock;
  /** Asks the payment service; throws when it does not answer. */
  readonly pay: (orderId: string, amount: Cents) => Promise<"paid" | "refused">;
  readonly log: Log;
  readonly now: () => Date;
};

const daysOfDelivery = 3;

/** Answers `POST /api/orders`. Pieces are held while the payment is on its way, so that nothing is sold twice. */
export function createOrderDesk({ products, stock, pay, log, now }: OrderDeskOptions) {
  let last = 1000;

  async function place(order: Order): Promise<Answer> {
    last += 1;
    const id = `o-${last}`;
    log("info", "order.opened", { order: id, lines: order.lines.length });
    const lines = linesOf(order, products);
    if (lines === null) return refuse(id, 422, "unknown-product");
    const short = stock.hold(id, lines);
    if (short !== null) {
      const { shelf, held } = stock;
      log("warn", "stock.short", { order: id, product: short, shelf: shelf(short), held: held(short) });
      return refuse(id, 409, "sold-out");
    }
    const amount = total(lines);
    try {
      if ((await pay(id, amount)) === "refused") return refuse(id, 402, "payment-refused");
      stock.take(id);
    } catch {
      stock.release(id);
      return refuse(id, 503, "payment-down");
    }
    log("info", "order.placed", { order: id, total: money(amount) });
    return { status: 200, body: { orderId: id, total: amount, expected: expectedFrom(now()) } };
  }

  function refuse(id: string, status: number, code: string): Answer {
    log(status >= 500 ? "error" : "warn", "order.refused", { order: id, status, code });
    return { status, body: { code } };
  }

  return { place };
}

/** null: a product that we do not have. */
function linesOf(order: Order, products: readonly Product[]): readonly CartLine[] | null {
  const lines = order.lines.flatMap(({ productId, quantity }) => {
    const product = products.find((one) => one.id === productId);
    return product === undefined ? [] : [{ product, quantity }];
  });
  return lines.length === order.lines.length ? lines : null;
}

function expectedFrom(day: Date): string {
  const expected = new Date(day);
  expected.setUTCDate(expected.getUTCDate() + daysOfDelivery);
  return expected.toISOString().slice(0, 10);
}
