import type { Item } from "../import/transcript.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import type { Block, RecordedCall, Recording } from "./recording.ts";

export type Recorded =
  | { readonly type: "recorded"; readonly recording: Recording }
  | { readonly type: "no-usage"; readonly why: string };

/**
 * The main line of a session as the model calls it was. A call is a request whose prompt the provider reported as more
 * than nothing; what a request without a report answered stands in front of the next call.
 */
export function record(input: {
  readonly session: string;
  readonly items: Iterable<Item>;
  readonly tokensOf: (text: string) => number;
  /** `left-out`: of what a compaction writes down itself only the summary is read, as METRICS 1 has it. */
  readonly retold?: "read" | "left-out";
}): Recorded {
  const calls = numbered(gathered(input.items, input.retold ?? "read"));
  const [first] = calls;
  if (first === undefined) return { type: "no-usage", why: "no call whose prompt tokens are recorded" };
  const own = sum(first.before.map(({ text }) => input.tokensOf(text)));
  const headTokens = clamp(promptTokensOf(first.usage) - own, headTokensMin, headTokensMax);
  return { type: "recorded", recording: { session: input.session, headTokens, calls } };
}

/** METRICS 1, *Head*. */
const headTokensMin = 3_000;
const headTokensMax = 60_000;

/** `item`: the number by which a restart may keep it. */
type Piece = { readonly item: number; readonly block: Omit<Block, "id"> };
type Restart = { readonly why: "compacted" | "rewound" | "cleared"; readonly kept: readonly Piece[] };
type Request = {
  readonly at: number | null;
  readonly model: string | null;
  readonly restart: Restart | null;
  readonly before: readonly Piece[];
  readonly answer: Piece[];
};
type Gathered = { readonly requests: readonly Request[]; readonly usage: ReadonlyMap<Request, Usage> };

/** Each request with what stood in front of it. Answers may go on behind results; they are put together here. */
function gathered(items: Iterable<Item>, copies: "read" | "left-out"): Gathered {
  const requests: Request[] = [];
  const named = new Map<string, Request>();
  const usage = new Map<Request, Usage>();
  const tools = new Map<string, string>();
  let before: Piece[] = [];
  let restart: Restart | null = null;
  let newest: number | null = null;
  let number = 0;
  let retold = 0;
  for (const item of items) {
    const at = number++;
    if (item.lane !== mainLine) continue;
    if (retold-- > 0 && copies === "left-out" && !isSummary(item)) continue;
    if (item.type === "request") {
      const request: Request = { at: newest ?? item.at, model: item.model, restart, before, answer: [] };
      requests.push(request);
      named.set(item.request, request);
      before = [];
      restart = null;
    } else if (item.type === "restarted") {
      const live = [...requests.flatMap((one) => [...one.before, ...one.answer]), ...before];
      restart = { why: item.why, kept: live.filter((piece) => within(item.keeps, piece.item)) };
      before = [];
      retold = item.retells ?? 0;
    } else if (item.type === "usage") {
      const request = named.get(item.request);
      if (request !== undefined && item.known === "all") usage.set(request, item.usage);
    } else {
      if (item.type === "call") tools.set(item.callId, item.tool);
      const block = blockOf(item, tools);
      const answering = "request" in item && item.request !== null ? named.get(item.request) : undefined;
      if (block !== null) (answering?.answer ?? before).push({ item: at, block });
    }
    if (item.at !== null) newest = Math.max(newest ?? item.at, item.at);
  }
  return { requests, usage };
}

const mainLine = "main";

function isSummary(item: Item): boolean {
  return item.type === "message" && item.from === "summary";
}

/** null: nothing the model reads, or nothing of which the text is known. */
function blockOf(item: Item, tools: ReadonlyMap<string, string>): Omit<Block, "id"> | null {
  switch (item.type) {
    case "message": {
      const kind = item.from === "summary" ? "summary" : "text";
      return item.text === "" ? null : { role: "user", kind, callId: null, tool: null, text: item.text };
    }
    case "text":
      return item.text === "" ? null : { role: "assistant", kind: "text", callId: null, tool: null, text: item.text };
    case "reasoning":
      return item.text === ""
        ? null
        : { role: "assistant", kind: "reasoning", callId: null, tool: null, text: item.text };
    case "call":
      return { role: "assistant", kind: "tool-call", callId: item.callId, tool: item.tool, text: item.input };
    case "result": {
      const tool = item.tool ?? tools.get(item.callId) ?? null;
      return { role: "user", kind: "tool-result", callId: item.callId, tool, text: item.text };
    }
    default:
      return null;
  }
}

/** Counted calls, their blocks with ids; a kept block is the block it was before. */
function numbered({ requests, usage }: Gathered): readonly RecordedCall[] {
  const blocks = new Map<Piece, Block>();
  const blockFor = (piece: Piece): Block => {
    const known = blocks.get(piece);
    if (known !== undefined) return known;
    const block = { id: blocks.size, ...piece.block };
    blocks.set(piece, block);
    return block;
  };
  const calls: RecordedCall[] = [];
  let carried: Block[] = [];
  let restart: RecordedCall["restart"] = null;
  for (const request of requests) {
    if (request.restart !== null) {
      restart = { why: request.restart.why, kept: request.restart.kept.map(blockFor) };
      carried = [];
    }
    const before = [...carried, ...request.before.map(blockFor)];
    const answer = request.answer.map(blockFor);
    const reported = usage.get(request);
    if (reported === undefined || promptTokensOf(reported) === 0) {
      carried = [...before, ...answer];
      continue;
    }
    const { at, model } = request;
    calls.push({ n: calls.length, at, model, usage: reported, restart, before, answer });
    carried = [];
    restart = null;
  }
  return calls;
}

function within(ranges: readonly (readonly [from: number, to: number])[], item: number): boolean {
  return ranges.some(([from, to]) => item >= from && item <= to);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
