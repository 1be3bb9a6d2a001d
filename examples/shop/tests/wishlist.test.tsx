import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { products } from "../src/data/products.ts";
import { routeOf } from "../src/router.ts";
import { fakeServer, header, json, openShop, press } from "./helpers.tsx";

const wishesLink = (count: string) => header().getByRole("link", { name: `Wishes, ${count}` });

/** Three products are enough here, and short when a test fails. */
const few = products.filter(({ id }) => ["ember-stove", "heron-tarp", "fell-tunnel"].includes(id));
const openFew = () => openShop("/", fakeServer({ "GET /api/products": () => json(200, few) }));

async function wishFor(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await screen.findByRole("heading", { name });
    fireEvent.click(screen.getByLabelText(`Wish for ${name}`));
  }
}

async function openWishes(): Promise<readonly (string | null)[]> {
  fireEvent.click(header().getByRole("link", { name: /^Wishes/ }));
  await screen.findByRole("heading", { name: "Your wishes" });
  return (await screen.findAllByRole("heading", { level: 2 })).map((heading) => heading.textContent);
}

describe("the way to the wish list", () => {
  test("it has a path", () => {
    expect(routeOf("/wishes")).toEqual({ page: "wishes" });
  });
  test("the header has a link to it that says how many wishes there are", () => {
    openShop("/cart");
    expect(wishesLink("0 items").getAttribute("href")).toBe("/wishes");
  });
  test("without wishes the page says so and leads back", () => {
    openShop("/wishes");
    expect(screen.getByRole("heading", { name: "No wishes yet" })).toBeDefined();
    expect(screen.getByRole("link", { name: "Look around" }).getAttribute("href")).toBe("/");
  });
});

describe("wishing", () => {
  test("a product of the catalogue can be wished for", async () => {
    openFew();
    await wishFor("Ember Stove");
    expect(wishesLink("1 item")).toBeDefined();
    expect(screen.getByLabelText("Wish for Ember Stove").getAttribute("aria-pressed")).toBe("true");
  });
  test("wishing twice takes the wish back", async () => {
    openFew();
    await wishFor("Ember Stove", "Ember Stove");
    expect(wishesLink("0 items")).toBeDefined();
    expect(screen.getByLabelText("Wish for Ember Stove").getAttribute("aria-pressed")).toBe("false");
  });
  test("a product's own page has the button too", async () => {
    openShop("/product/ember-stove");
    await wishFor("Ember Stove");
    expect(wishesLink("1 item")).toBeDefined();
  });
  test("what is sold out can still be wished for", async () => {
    openShop("/product/fell-tunnel");
    await wishFor("Fell Tunnel");
    expect(wishesLink("1 item")).toBeDefined();
  });
});

describe("the wish list", () => {
  test("shows the wishes, the newest first", async () => {
    openFew();
    await wishFor("Ember Stove", "Heron Tarp");
    expect(await openWishes()).toEqual(["Heron Tarp", "Ember Stove"]);
  });
  test("a wish can be taken back there", async () => {
    openFew();
    await wishFor("Ember Stove", "Heron Tarp");
    await openWishes();
    press("Wish for Heron Tarp");
    expect(screen.queryByText("Heron Tarp")).toBeNull();
    expect(wishesLink("1 item")).toBeDefined();
  });
  test("says what all wishes cost together", async () => {
    openFew();
    await wishFor("Ember Stove", "Heron Tarp");
    await openWishes();
    expect(screen.getByTestId("wishes-sum").textContent).toBe("€168.00");
  });
  test("what is there goes into the cart, what is sold out stays a wish", async () => {
    openFew();
    await wishFor("Ember Stove", "Fell Tunnel");
    await openWishes();
    press("Put all into the cart");
    expect(header().getByRole("link", { name: "Cart, 1 item" })).toBeDefined();
    expect(wishesLink("1 item")).toBeDefined();
    expect(within(screen.getByRole("main")).getByText("Fell Tunnel")).toBeDefined();
  });
  test("a server that does not answer is said", async () => {
    openShop("/product/ember-stove", fakeServer({ "GET /api/products": () => json(503, {}) }));
    await wishFor("Ember Stove");
    fireEvent.click(header().getByRole("link", { name: /^Wishes/ }));
    expect((await screen.findByRole("alert")).textContent).toMatch(/on our side/);
  });
});
