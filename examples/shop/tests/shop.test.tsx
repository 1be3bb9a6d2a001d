import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { products } from "../src/data/products.ts";
import { fakeServer, header, json, messageOf, openShop, press, type } from "./helpers.tsx";

describe("the catalogue", () => {
  test("shows every product, best rated first", async () => {
    openShop();
    await screen.findByText(`${products.length} products`);
    expect(screen.getAllByRole("heading", { level: 2 })[0]?.textContent).toBe("Lake Lantern");
  });
  test("search looks for every word", async () => {
    openShop();
    await screen.findByText(`${products.length} products`);
    type("Search", "tent porch");
    expect(screen.getByText("1 product")).toBeDefined();
  });
  test("sold out products can be hidden", async () => {
    openShop();
    await screen.findByText(`${products.length} products`);
    fireEvent.click(screen.getByLabelText("In stock only"));
    expect(screen.queryByText("Fell Tunnel")).toBeNull();
  });
  test("a failure is said", async () => {
    openShop("/", fakeServer({ "GET /api/products": () => json(503, {}) }));
    expect((await screen.findByRole("alert")).textContent).toMatch(/on our side/);
  });
});

describe("from product to order", () => {
  test("the header counts what is in the cart", async () => {
    openShop("/product/spork-ti");
    fireEvent.click(await screen.findByRole("button", { name: "Add to cart" }));
    expect(header().getByRole("link", { name: "Cart, 1 item" })).toBeDefined();
  });
  test("an order is placed and the cart is empty afterwards", async () => {
    const receipt = { orderId: "L-17", total: 7490, expected: "2031-05-04" };
    const { router, server } = openShop(
      "/product/ember-stove",
      fakeServer({ "POST /api/orders": () => json(200, receipt) }),
    );
    fireEvent.click(await screen.findByRole("button", { name: "Add to cart" }));
    fireEvent.click(header().getByRole("link", { name: /Cart/ }));
    press("Go to checkout");
    expect(router.path()).toBe("/checkout");
    type("Name", "Ada");
    type("Email", "ada@example.org");
    type("Street and number", "Lake Road 1");
    type("Postcode", "12345");
    type("City", "Shore");
    press("Place the order");
    await screen.findByText(/Order L-17/);
    expect(server.posted("/api/orders")[0]?.body).toMatchObject({ lines: [{ productId: "ember-stove", quantity: 1 }] });
    expect(header().getByRole("link", { name: "Cart, 0 items" })).toBeDefined();
  });
  test("the checkout names what is missing and sends nothing", async () => {
    const { server, router } = openShop("/product/ember-stove");
    fireEvent.click(await screen.findByRole("button", { name: "Add to cart" }));
    fireEvent.click(header().getByRole("link", { name: /Cart/ }));
    press("Go to checkout");
    expect(router.path()).toBe("/checkout");
    press("Place the order");
    expect(messageOf("Postcode")).toMatch(/four or five digits/);
    expect(document.activeElement).toBe(screen.getByLabelText("Name"));
    expect(server.posted("/api/orders")).toEqual([]);
  });
  test("an unknown path says so", () => {
    openShop("/nowhere");
    expect(screen.getByRole("heading", { name: "Nothing here" })).toBeDefined();
  });
});
