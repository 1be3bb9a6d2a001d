import { bounds } from "../kernel/bounds.ts";
import type { Http, HttpAnswer, ReadablePage } from "../ports/http.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
import { hostAndPort, urlFault } from "./web-address.ts";
import { webText } from "./web-text.ts";

export type Web = {
  readonly http: Http;
  readonly readable: ReadablePage;
  /** `host:port` that may be private; empty unless whoever opens the session says otherwise. */
  readonly privateHosts: readonly string[];
};

/** One public page as text. Nothing of ours goes along: no cookies, no keys, a plain name. */
export function webFetchTool(web: Web): Tool {
  return defineTool({
    name: "WebFetch",
    description: "Read a public web page as text (HTML as Markdown). A redirect to another host is told, not followed.",
    fields: { url: { type: "string", optional: false } },
    readOnly: true,
    plan: ({ url }) => {
      const fault = urlFault(url, web.privateHosts);
      if (fault !== null) return `url: ${fault}.`;
      const { href } = new URL(url);
      return {
        access: { type: "fetch", url: href },
        title: `WebFetch ${href}`,
        run: (_context, signal) => fetchPage(web, href, signal),
      };
    },
  });
}

async function fetchPage(web: Web, asked: string, signal: AbortSignal): Promise<ToolOutcome> {
  let url = new URL(asked);
  for (let hops = 0; hops <= bounds.webHopsMax; hops += 1) {
    const answer = await web.http.request(requestFor(url, web), signal);
    if (answer.type === "failed") return endedBy(`${url.href} could not be read: ${answer.why}.`, signal);
    const to = redirectOf(answer, url);
    if (to === null) return await pageOutcome(answer, url, web);
    if (to.type === "bad") return failed(`${url.href} (${answer.status}) redirects to ${to.why}.`);
    if (!isSameHost(url, to.url)) {
      const where = `${url.href} (${answer.status}) redirects to another host: ${to.url.href}`;
      return done(`${where}\nNot followed. If that is wanted, call WebFetch with that address.`);
    }
    url = to.url;
  }
  return failed(`${asked} redirects more than ${bounds.webHopsMax} times; the last was to ${url.href}.`);
}

function requestFor(url: URL, { privateHosts }: Web) {
  return {
    method: "GET",
    url: withoutFragment(url),
    headers: { "user-agent": "varve", accept: "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5" },
    bytesMax: bounds.webBytesMax,
    timeoutMs: bounds.webMsMax,
    privateHosts,
  } as const;
}

function withoutFragment(url: URL): string {
  return url.href.replace(/#.*$/, "");
}

type Answered = Extract<HttpAnswer, { readonly type: "answered" }>;
type Redirect = { readonly type: "to"; readonly url: URL } | { readonly type: "bad"; readonly why: string };

function redirectOf({ status, headers }: Answered, from: URL): Redirect | null {
  const { location } = headers;
  if (!redirects.has(status) || location === undefined) return null;
  if (!URL.canParse(location, from.href)) return { type: "bad", why: "an address that is none" };
  return { type: "to", url: new URL(location, from.href) };
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The same host and port, or the same host's usual move from http to https. Anything else is the user's to permit. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.username !== "" || to.password !== "") return false;
  if (from.protocol === to.protocol) return hostAndPort(from) === hostAndPort(to);
  return hostAndPort(from) === `${from.hostname}:80` && hostAndPort(to) === `${from.hostname}:443`;
}

async function pageOutcome(answer: Answered, url: URL, web: Web): Promise<ToolOutcome> {
  const { status, bytes, more } = answer;
  const page = await webText(answer, web.readable);
  const size = `${more ? "more than " : ""}${bytes.length} bytes`;
  if (page.type === "unreadable") return failed(`${url.href} (${status}) is ${page.what}, ${size}: no text to read.`);
  const title = page.title === "" ? "" : ` · ${page.title}`;
  const head = `[${url.href} · ${status}${title} · ${page.mediaType}, ${size}]`;
  const cut = more ? [`[only the first ${bytes.length} bytes were read]`] : [];
  const text = page.text.trim() === "" ? "[no text]" : page.text;
  return done([head, ...cut, "", text].join("\n"), { form: "output", ending: status < 400 ? "done" : "failed" });
}

function endedBy(why: string, signal: AbortSignal): ToolOutcome {
  return signal.aborted ? { ...failed("Interrupted by the user."), ending: "interrupted" } : failed(why);
}
