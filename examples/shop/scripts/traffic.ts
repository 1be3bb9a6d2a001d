import { type Fields, type Level, lineOf } from "../server/log.ts";
import { createOrderDesk } from "../server/orders.ts";
import { createStock } from "../server/stock.ts";
import { products } from "../src/data/products.ts";
import type { Order, Product } from "../src/types.ts";

/**
 * Plays a day of visitors against the order desk and prints the server's log. The visitors are made up, the order desk is
 * the real one; the same day comes out each time.
 */
const visitors = 400;
const stockFactor = 3;

const tick = randomFrom(20310504);
/** One for each visitor, so that what the desk answers one does not change what the next one wants. */
let random = tick;
let at = Date.UTC(2031, 4, 4, 6);
const lines: string[] = [];
const log = (level: Level, event: string, fields: Fields) => {
  at += 1 + Math.floor(tick() * 900);
  lines.push(lineOf(new Date(at), level, event, fields));
};

const stock = createStock(new Map(products.map((one) => [one.id, one.stock * stockFactor])), log);
const desk = createOrderDesk({ products, stock, pay, log, now: () => new Date(at) });

for (let visitor = 1; visitor <= visitors; visitor += 1) {
  at += Math.floor(tick() * 180_000);
  random = randomFrom(visitor * 7919);
  await visit(`v-${visitor}`);
}
log("info", "day.closed", { visitors });
console.log(lines.join("\n"));

async function visit(visitor: string): Promise<void> {
  const request = (path: string, status = 200) => {
    const ms = Math.floor(4 + random() ** 6 * 900);
    log(ms > 500 ? "warn" : "info", ms > 500 ? "request.slow" : "request", { visitor, path, status, ms });
  };
  request("/api/products");
  const looked = Array.from({ length: 1 + Math.floor(random() * 4) }, pick);
  for (const product of looked) request(`/api/products/${product.id}`);
  if (random() < 0.04) request("/api/product/robots.txt", 404);
  const wanted = looked.filter((product) => product.stock > 0).slice(0, 2);
  if (wanted.length === 0 || random() < 0.45) return;
  await order(visitor, wanted);
}

/** Who is refused a payment tries again with another card, up to three times. */
async function order(visitor: string, wanted: readonly Product[]): Promise<void> {
  const quantities = wanted.map((product) => ({ productId: product.id, quantity: 1 + Math.floor(random() * 2) }));
  const contact = { name: visitor, email: `${visitor}@example.org`, street: "-", postcode: "12345", city: "-" };
  const what: Order = { contact, lines: quantities };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    log("info", "checkout.sent", { visitor, attempt });
    const answer = await desk.place(what);
    if (answer.status === 200) log("info", "mail.sent", { visitor, template: "receipt" });
    if (answer.status !== 402) return;
  }
}

async function pay(orderId: string, amount: number): Promise<"paid" | "refused"> {
  const luck = random();
  if (luck < 0.03) {
    log("error", "payment.timeout", { order: orderId, ms: 8000 });
    throw new Error("the payment service did not answer");
  }
  const result = luck < 0.3 ? "refused" : "paid";
  log("info", `payment.${result}`, { order: orderId, cents: amount });
  return result;
}

/** A few products are what most people come for. */
function pick(): Product {
  const [first] = products;
  if (first === undefined) throw new Error("the catalogue is empty");
  return products[Math.floor(random() ** 2 * products.length)] ?? first;
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
