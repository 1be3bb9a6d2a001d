import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Http, HttpAnswer, HttpRequest } from "../ports/http.ts";
import { addressFault, hostAndPort, urlFault } from "../tools/web-address.ts";
import { bodyOf } from "./http-body.ts";

type Address = { readonly address: string; readonly family: number };
export type Resolve = (host: string) => Promise<readonly Address[]>;

/**
 * Names are resolved here, every address is checked, and the connection goes to the checked addresses: a name cannot mean
 * something else a moment later. Proxies of the environment are not used, since they would resolve the name again.
 */
export function nodeHttp(options: { readonly resolve?: Resolve } = {}): Http {
  const { resolve = (host) => lookup(host, { all: true }) } = options;
  return {
    async request(request, signal) {
      const inTime = AbortSignal.timeout(request.timeoutMs);
      const either = AbortSignal.any([signal, inTime]);
      try {
        const checked = await abortable(addressesOf(request, resolve), either);
        if (typeof checked === "string") return { type: "failed", why: checked };
        return await exchange(request, checked, either);
      } catch (error) {
        return { type: "failed", why: whyOf(error, request, signal, inTime) };
      }
    },
  };
}

/** The addresses to connect to, or why none. One private address among several is enough to refuse the name. */
async function addressesOf(
  { url: text, privateHosts }: HttpRequest,
  resolve: Resolve,
): Promise<readonly Address[] | string> {
  const fault = urlFault(text, privateHosts);
  if (fault !== null) return fault;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (found.length === 0) return `${host} has no address`;
  if (privateHosts.includes(hostAndPort(url))) return found;
  const bad = found.map(({ address }) => addressFault(address)).find((why) => why !== null);
  return bad === undefined ? found : `${host}: ${bad}`;
}

async function exchange(
  { method, url: text, headers, body, bytesMax }: HttpRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const url = new URL(text);
  const [first] = addresses;
  const pinned: LookupFunction = (_host, asked, callback) => {
    if (asked.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
  const options: RequestOptions = {
    method,
    headers: { ...headers, "accept-encoding": "gzip, deflate, br" },
    lookup: pinned,
    agent: false,
    signal,
  };
  const send = url.protocol === "https:" ? secureRequest : plainRequest;
  const response = await answered(send(url, options), body);
  try {
    const read = await bodyOf(response, bytesMax, signal);
    return { type: "answered", status: response.statusCode ?? 0, headers: headersOf(response), ...read };
  } finally {
    response.destroy();
  }
}

function answered(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", reject);
    request.end(body);
  });
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const all = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** A resolver takes no signal: it is left to itself when the time is over. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function whyOf(error: unknown, { timeoutMs }: HttpRequest, signal: AbortSignal, inTime: AbortSignal): string {
  if (signal.aborted) return "interrupted";
  if (inTime.aborted) return `no whole answer within ${timeoutMs} ms`;
  return error instanceof Error ? error.message || error.name : String(error);
}
