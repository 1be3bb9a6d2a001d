import { describe, expect, test } from "vitest";
import { ApiError, createApi, messageFor } from "../src/api.ts";
import { routeOf } from "../src/router.ts";
import { fakeServer, json } from "./helpers.tsx";

describe("the api client", () => {
  test("asks for JSON and returns it", async () => {
    const server = fakeServer();
    const products = await createApi({ fetch: server.fetch }).listProducts();
    expect(products.length).toBeGreaterThan(30);
    expect(server.sent[0]?.headers.get("accept")).toBe("application/json");
  });
  test("sends a body only where there is one", async () => {
    const server = fakeServer({
      "POST /api/orders": () => json(200, { orderId: "1", total: 1, expected: "2031-01-02" }),
    });
    const api = createApi({ fetch: server.fetch });
    await api.getProduct("spork-ti");
    await api.placeOrder({ contact: { name: "", email: "", street: "", postcode: "", city: "" }, lines: [] });
    expect(server.sent.map((call) => call.headers.get("content-type"))).toEqual([null, "application/json"]);
  });
  test("a refusal is an ApiError with status, code and waiting time", async () => {
    const server = fakeServer({ "GET /api/products": () => json(429, { code: "slow-down" }, { "retry-after": "7" }) });
    const failure = await createApi({ fetch: server.fetch })
      .listProducts()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 429, code: "slow-down", retryAfter: 7 });
  });
  test("an error page that is not JSON is still an ApiError", async () => {
    const server = fakeServer({ "GET /api/products": () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });
    const failure = await createApi({ fetch: server.fetch })
      .listProducts()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 502, code: "not-json" });
  });
});

describe("messages for the visitor", () => {
  const rows = [
    { error: new TypeError("fetch failed"), message: /could not reach the shop/ },
    { error: new ApiError(404, "x", null), message: /could not find/ },
    { error: new ApiError(409, "x", null), message: /sold out/ },
    { error: new ApiError(429, "x", 7), message: /in 7 seconds/ },
    { error: new ApiError(429, "x", null), message: /in 60 seconds/ },
    { error: new ApiError(503, "x", null), message: /on our side/ },
  ];
  test.each(rows)("$message", ({ error, message }) => {
    expect(messageFor(error)).toMatch(message);
  });
});

describe("routes", () => {
  const rows = [
    { path: "/", route: { page: "catalog" } },
    { path: "/cart/", route: { page: "cart" } },
    { path: "/checkout?from=cart", route: { page: "checkout" } },
    { path: "/product/spork-ti", route: { page: "product", id: "spork-ti" } },
    { path: "/product/", route: { page: "not-found", path: "/product" } },
  ];
  test.each(rows)("$path", ({ path, route }) => {
    expect(routeOf(path)).toEqual(route);
  });
});
