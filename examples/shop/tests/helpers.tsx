import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach } from "vitest";
import { App } from "../src/App.tsx";
import { createApi } from "../src/api.ts";
import { products } from "../src/data/products.ts";
import { memoryRouter } from "../src/router.ts";

afterEach(cleanup);

export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Headers;
};
type Answer = (sent: Sent) => Response | Promise<Response>;

/** An answer of the server. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

const catalogue: Record<string, Answer> = {
  "GET /api/products": () => json(200, products),
  ...Object.fromEntries(products.map((one) => [`GET /api/products/${one.id}`, () => json(200, one)])),
};

/** A server made of a table: `"POST /api/orders": () => json(200, ...)`. Everything sent is kept in `sent`. */
export function fakeServer(routes: Record<string, Answer> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const call: Sent = {
      method: init.method ?? "GET",
      path: url,
      body: typeof init.body === "string" ? JSON.parse(init.body) : null,
      headers: new Headers(init.headers),
    };
    sent.push(call);
    const answer = { ...catalogue, ...routes }[`${call.method} ${call.path}`];
    return answer === undefined ? json(404, { code: "no-such-path" }) : answer(call);
  };
  const posted = (path: string) => sent.filter((call) => call.method === "POST" && call.path === path);
  return { fetch, sent, posted };
}

/** The whole shop at a path, against a server. */
export function openShop(path = "/", server = fakeServer()) {
  const router = memoryRouter(path);
  render(<App api={createApi({ fetch: server.fetch })} router={router} />);
  return { router, server };
}

export function type(label: string | RegExp, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

export function press(name: string | RegExp): void {
  fireEvent.click(screen.getByRole("button", { name }));
}

export function header(): ReturnType<typeof within> {
  return within(screen.getByRole("banner"));
}

/** Text of the message tied to a field, or null. */
export function messageOf(label: string | RegExp): string | null {
  const ids = screen.getByLabelText(label).getAttribute("aria-describedby") ?? "";
  const error = ids.split(" ").find((id) => id.endsWith("-error"));
  return error === undefined ? null : (document.getElementById(error)?.textContent ?? null);
}
