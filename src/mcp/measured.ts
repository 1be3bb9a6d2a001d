import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import type { EntryOf } from "../log/entry.ts";
import type { ServerEntry, ToolMeasure } from "../log/server-entry.ts";
import type { ServerTool } from "../ports/servers.ts";

/** One call of a server's tool that has its result. */
export type NotedCall = {
  /** The server's alias, and its own name of the tool. */
  readonly server: string;
  readonly tool: string;
  readonly ending: EntryOf<"tool-returned">["ending"];
  /** Tokens of the result as it came, and of its first form. */
  readonly rawTokens: number;
  readonly shownTokens: number;
  readonly ms: number;
};

/** What a session's calls cost since its entry before. */
export type Sums = {
  readonly calls: number;
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, ToolMeasure>>;
};

export const noSums: Sums = { calls: 0, servers: new Map() };

export type MeasuredEntry = Extract<ServerEntry, { readonly type: "server-measured" }>;

export function noted(sums: Sums, call: NotedCall): Sums {
  const as = countsAs[call.ending];
  if (as === "no-call" || isTooLong(call.server) || isTooLong(call.tool)) return sums;
  const tools = sums.servers.get(call.server);
  const before = tools?.get(call.tool);
  if (tools === undefined && sums.servers.size >= bounds.cardServersMax) return sums;
  if (before === undefined && (tools?.size ?? 0) >= bounds.cardToolsMax) return sums;
  const measure = withCall(before ?? nothing(call.tool), call, as);
  const after = new Map([...(tools ?? []), [call.tool, measure]]);
  return { calls: sums.calls + 1, servers: new Map([...sums.servers, [call.server, after]]) };
}

/** So that a session that is killed loses little. */
export function due({ calls }: Sums): boolean {
  return calls >= bounds.measuredCallsMax;
}

/** What is to be appended to the project's stream; the session goes on with `noSums`. */
export function measuredEntries(
  sums: Sums,
  listedBy: (server: string) => readonly ServerTool[],
): readonly MeasuredEntry[] {
  return [...sums.servers].map(([server, tools]) => {
    const listed = listedBy(server);
    return {
      type: "server-measured",
      server,
      toolCount: listed.length,
      definitionTokens: definitionTokens(listed),
      tools: [...tools.values()],
    };
  });
}

/** What it would cost to declare all of a server's tools. */
export function definitionTokens(tools: readonly ServerTool[]): number {
  const parts = tools.map(({ name, description, inputSchema }) => canonicalJson({ name, description, inputSchema }));
  return parts.reduce((sum, part) => sum + estimate(part), 0);
}

/** A call that was refused, or that the user stopped, says nothing of the server. */
const countsAs: { readonly [E in NotedCall["ending"]]: "good" | "failed" | "no-call" } = {
  done: "good",
  failed: "failed",
  "timed-out": "failed",
  refused: "no-call",
  interrupted: "no-call",
  "not-run": "no-call",
};

/** No name that somebody uses: it is not kept. */
function isTooLong(name: string): boolean {
  return name.length > bounds.cardNameCharsMax;
}

function nothing(tool: string): ToolMeasure {
  const none = { rawTokens: 0, shownTokens: 0, rawTokensMax: 0, shownTokensMax: 0, ms: 0 };
  return { tool, calls: 0, failed: 0, ...none };
}

/** An error's few words are left out: a tool is not cheap because it fails. */
function withCall(before: ToolMeasure, call: NotedCall, as: "good" | "failed"): ToolMeasure {
  // A clock may be set back in mid-call.
  const next = { ...before, calls: before.calls + 1, ms: before.ms + Math.max(0, Math.round(call.ms)) };
  if (as === "failed") return { ...next, failed: before.failed + 1 };
  return {
    ...next,
    rawTokens: before.rawTokens + call.rawTokens,
    shownTokens: before.shownTokens + call.shownTokens,
    rawTokensMax: Math.max(before.rawTokensMax, call.rawTokens),
    shownTokensMax: Math.max(before.shownTokensMax, call.shownTokens),
  };
}
