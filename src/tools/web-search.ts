import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Http } from "../ports/http.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
import { hostAndPort } from "./web-address.ts";

/** A server that answers `?q=…&format=json` with `{results: [{title, url, content}]}`, as SearXNG does (docs/tools.md). */
export type SearchServer = { readonly endpoint: string; readonly key: string | null };

/** Declared only where a server is configured. The server is the user's choice, so it may be a private one. */
export function webSearchTool(ports: { readonly http: Http; readonly search: SearchServer }): Tool {
  return defineTool({
    name: "WebSearch",
    description: "Search the web: titles, addresses and a few words of each result. Read one with WebFetch.",
    fields: { query: { type: "string", optional: false } },
    readOnly: true,
    plan: ({ query }) => {
      if (query.trim() === "") return "query: expected some words, got white space.";
      if (query.length > bounds.patternCharsMax) return `query: longer than ${bounds.patternCharsMax} characters.`;
      return {
        access: { type: "fetch", url: ports.search.endpoint },
        title: `WebSearch ${query.trim()}`,
        run: (_context, signal) => search(ports, query.trim(), signal),
      };
    },
  });
}

async function search(
  { http, search: server }: { readonly http: Http; readonly search: SearchServer },
  query: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const url = new URL(server.endpoint);
  url.searchParams.set("q", query);
  url.searchParams.set("format", "json");
  const key = server.key === null ? {} : { authorization: `Bearer ${server.key}` };
  const answer = await http.request(
    {
      method: "GET",
      url: url.href,
      headers: { "user-agent": "varve", accept: "application/json", ...key },
      bytesMax: bounds.webBytesMax,
      timeoutMs: bounds.webMsMax,
      privateHosts: [hostAndPort(url)],
    },
    signal,
  );
  if (signal.aborted) return { ...failed("Interrupted by the user."), ending: "interrupted" };
  if (answer.type === "failed") return failed(`The search server could not be asked: ${answer.why}.`);
  if (answer.status !== 200) return failed(`The search server answered with status ${answer.status}.`);
  const results = resultsOf(new TextDecoder().decode(answer.bytes));
  if (results === null) return failed("The search server's answer is not JSON with a list of results.");
  if (results.length === 0) return done(`No results for "${query}".`);
  return done(results.map(shown).join("\n"), { form: "output" });
}

type Result = { readonly title: string; readonly url: string; readonly content: string };

function resultsOf(text: string): readonly Result[] | null {
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !isRecord(parsed.value) || !Array.isArray(parsed.value.results)) return null;
  const results: readonly unknown[] = parsed.value.results;
  const usable = results.flatMap((one) =>
    isRecord(one) && typeof one.url === "string"
      ? [{ title: line(one.title), url: line(one.url), content: line(one.content) }]
      : [],
  );
  return usable.slice(0, bounds.searchResultsMax);
}

function shown({ title, url, content }: Result, index: number): string {
  return [`${index + 1}. ${title || "(no title)"}`, `   ${url}`, ...(content === "" ? [] : [`   ${content}`])].join(
    "\n",
  );
}

function line(value: unknown): string {
  if (typeof value !== "string") return "";
  const one = value.replaceAll(/\s+/g, " ").trim();
  return one.length > bounds.searchTextCharsMax ? `${one.slice(0, bounds.searchTextCharsMax).toWellFormed()}…` : one;
}
