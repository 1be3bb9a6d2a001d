import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { preview } from "vite";
import { createOrderDesk } from "../server/orders.ts";
import { createStock } from "../server/stock.ts";
import type { Order } from "../src/types.ts";
import { articles } from "./articles.ts";

/**
 * Serves what `npm run build` made, with a stand-in for the shop's server behind it: the season's articles, the real order
 * desk and one account. Both listen on this machine only, on any free port; the address is printed.
 */
const account = { email: "ada@example.org", password: "correct horse", name: "Ada Lovelace" };

type Answer = { readonly status: number; readonly body: unknown };

const stock = createStock(new Map(articles.map((one) => [one.id, one.stock])), () => {});
const desk = createOrderDesk({
  products: articles,
  stock,
  pay: async () => "paid",
  log: () => {},
  now: () => new Date(),
});

const api = createServer(async (request, response) => {
  const asked = `${request.method} ${request.url}`;
  const { status, body } = await answerTo(asked, await bodyOf(request));
  console.log(`${asked} ${status}`);
  send(response, status, body);
});

api.listen(0, "127.0.0.1", async () => {
  const address = api.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const page = await preview({
    logLevel: "warn",
    preview: { host: "127.0.0.1", port: 0, proxy: { "/api": `http://127.0.0.1:${address.port}` } },
  });
  console.log(`The shop: ${page.resolvedUrls?.local[0]}`);
});

/** A stand-in: only the shop's own page asks it, so what comes is taken as what that sends. */
async function answerTo(asked: string, body: unknown): Promise<Answer> {
  if (asked === "GET /api/products") return { status: 200, body: articles };
  if (asked === "POST /api/orders") return desk.place(body as Order);
  if (asked === "POST /api/login") return signedIn(body as typeof account);
  if (asked === "POST /api/logout") return { status: 200, body: {} };
  const product = articles.find(({ id }) => asked === `GET /api/products/${id}`);
  return product === undefined ? { status: 404, body: { code: "no-such-path" } } : { status: 200, body: product };
}

function signedIn({ email, password }: { readonly email: string; readonly password: string }): Answer {
  if (email !== account.email || password !== account.password)
    return { status: 401, body: { code: "bad-credentials" } };
  return { status: 200, body: { token: "t-1", user: { name: account.name, email } } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? null : JSON.parse(text);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
