import type { Order, OrderReceipt, Product } from "./types.ts";

/** The server said no. `code` is the server's own word for it, for decisions; the message is for the console. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds to wait before the next try, where the server says so. */
  readonly retryAfter: number | null;

  constructor(status: number, code: string, retryAfter: number | null) {
    super(`The server answered ${status} (${code})`);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export interface Api {
  listProducts(): Promise<readonly Product[]>;
  getProduct(id: string): Promise<Product>;
  placeOrder(order: Order): Promise<OrderReceipt>;
}

export type ApiOptions = {
  /** Address of the server, without a trailing slash; empty for the page's own. */
  readonly baseUrl?: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export function createApi({ baseUrl = "", fetch }: ApiOptions): Api {
  async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw await failureOf(response);
    return response.json();
  }

  return {
    listProducts: () => request("GET", "/api/products"),
    getProduct: (id) => request("GET", `/api/products/${encodeURIComponent(id)}`),
    placeOrder: (order) => request("POST", "/api/orders", order),
  };
}

/** A sentence for the visitor. Anything that is not an answer of the server counts as "not reached". */
export function messageFor(error: unknown): string {
  if (!(error instanceof ApiError)) return "We could not reach the shop. Check your connection and try again.";
  if (error.status === 404) return "We could not find that.";
  if (error.status === 409) return "Somebody was faster: one of the products is sold out.";
  if (error.status === 422) return "The server did not accept what was entered.";
  if (error.status === 429) return `Too many attempts. Try again in ${error.retryAfter ?? 60} seconds.`;
  return "Something went wrong on our side. Try again in a minute.";
}

async function failureOf(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get("retry-after"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null;
  const text = await response.text();
  return new ApiError(response.status, codeIn(text), retryAfter);
}

function codeIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "code" in body && typeof body.code === "string") return body.code;
  } catch {
    return "not-json";
  }
  return "no-code";
}
