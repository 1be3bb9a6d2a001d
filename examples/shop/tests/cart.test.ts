import { describe, expect, test } from "vitest";
import { cartCount, cartReducer, packedWeight, quantityMax, shipping, subtotal, total } from "../src/cart/cart.ts";
import { products } from "../src/data/products.ts";
import type { CartLine, Product } from "../src/types.ts";

function product(id: string): Product {
  const found = products.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no product ${id}`);
  return found;
}

const stove = product("ember-stove");
const spork = product("spork-ti");
const tunnel = product("fell-tunnel");
const add = (lines: readonly CartLine[], what: Product, quantity = 1) =>
  cartReducer(lines, { type: "added", product: what, quantity });

describe("the cart", () => {
  test("the same product twice is one line", () => {
    expect(add(add([], stove), stove)).toEqual([{ product: stove, quantity: 2 }]);
  });
  test("lines keep the order in which they were added", () => {
    const lines = add(add(add([], stove), spork), stove);
    expect(lines.map((line) => line.product.id)).toEqual(["ember-stove", "spork-ti"]);
  });
  test("nobody gets more than the maximum", () => {
    expect(add([], spork, 500)[0]?.quantity).toBe(quantityMax);
  });
  test("nobody gets more than there is", () => {
    expect(add([], product("moss-down-10"), 9)[0]?.quantity).toBe(5);
  });
  test("what is sold out cannot be added", () => {
    expect(add([], tunnel)).toEqual([]);
  });
  test("a quantity of 0 removes the line", () => {
    expect(cartReducer(add([], stove), { type: "changed", productId: stove.id, quantity: 0 })).toEqual([]);
  });
  test("a product can be removed and the cart emptied", () => {
    const lines = add(add([], stove), spork);
    expect(cartReducer(lines, { type: "removed", productId: stove.id })).toHaveLength(1);
    expect(cartReducer(lines, { type: "emptied" })).toEqual([]);
  });
});

describe("sums", () => {
  test("goods, shipping and total", () => {
    const lines = add([], stove);
    expect([subtotal(lines), shipping(lines), total(lines)]).toEqual([6900, 590, 7490]);
  });
  test("shipping is free from €75.00 on", () => {
    expect(shipping(add(add([], stove), spork))).toBe(0);
  });
  test("an empty cart costs nothing", () => {
    expect([total([]), cartCount([]), packedWeight([])]).toEqual([0, 0, 0]);
  });
  test("weight counts every piece", () => {
    expect(packedWeight(add([], stove, 3))).toBe(249);
  });
});
