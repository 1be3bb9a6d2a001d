import { totalOf } from "../budget/count.ts";
import { type Part as Measurable, measure } from "../budget/measure.ts";
import type { Item } from "../import/transcript.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Usage } from "../kernel/usage.ts";
import { excerptOf } from "./excerpt.ts";
import {
  addBlock,
  type Call,
  dropHead,
  isKnownRequest,
  isPastRequest,
  keepCall,
  keyOf,
  type Lane,
  remember,
  restart,
} from "./lane.ts";
import type { Parts } from "./parts.ts";
import { fileReadBy } from "./reads.ts";
import { seenBefore } from "./repeats.ts";
import type { AuditMissCause, Category } from "./report.ts";
import { correct, type Settling, settle } from "./settle.ts";
import { serverOf, toolKindOf } from "./tool-names.ts";

type ItemOf<T extends Item["type"]> = Extract<Item, { readonly type: T }>;

/** What the items of a session say beside its lanes' prompts. */
export type SessionNotes = {
  readonly called: Set<string>;
  session: string | null;
  cwd: string | null;
  version: string | null;
  /** Items so far. */
  items: number;
  unreadable: number;
  unknown: number;
  impossible: number;
};

export type Taking = { readonly notes: SessionNotes; readonly parts: Parts; readonly settling: Settling };

type Take<T extends Item["type"]> = (lane: Lane, item: ItemOf<T>, to: Taking) => void;

/** Takes one item in: its size, its hash, its place; never its text. */
export function takeItem<T extends Item["type"]>(lane: Lane, item: ItemOf<T>, to: Taking): void {
  // The handler stands under its item's own type; the compiler cannot follow the correlation through the index.
  const take = takers[item.type as T] as Take<T>;
  take(lane, item, to);
  to.notes.items += 1;
}

/** Calls whose usage never came are settled by what their texts are estimated at. */
export function settleAll(lane: Lane, settling: Settling): void {
  for (const call of lane.pending) settle(lane, call, settling);
  lane.pending = [];
}

const takers: { readonly [T in Item["type"]]: Take<T> } = {
  session: (_lane, { session, cwd, version }, { notes }) => {
    notes.session ??= session;
    notes.cwd ??= cwd;
    notes.version ??= version;
  },
  head: takeHead,
  message: (lane, item, to) => {
    const category = ({ typed: "typed", injected: "injected", summary: "summaries" } as const)[item.from];
    put(lane, item, to, category, "text", item.text);
    putImages(lane, item, to);
  },
  request: (lane, item, to) => {
    if (isKnownRequest(lane, item.request)) return;
    openCall(lane, item, to);
  },
  text: (lane, item, to) => put(lane, item, to, "assistant", "text", item.text),
  reasoning: (lane, item, to) => {
    const tokens =
      item.text.trim() === ""
        ? tokensOf({ kind: "reasoning", text: null, bytes: whole(item.opaqueChars) })
        : tokensOf({ kind: "text", text: item.text, bytes: 0 });
    add(lane, item, to, "reasoning", tokens);
  },
  call: takeCall,
  result: takeResult,
  usage: takeUsage,
  restarted: takeRestart,
  unknown: (_lane, _item, { notes }) => {
    notes.unknown += 1;
  },
  unreadable: (_lane, _item, { notes }) => {
    notes.unreadable += 1;
  },
};

function takeHead(lane: Lane, item: ItemOf<"head">, to: Taking): void {
  const category = item.part;
  const part = to.parts.indexOf({ category, tool: null, server: null });
  const key = keyOf(
    item.part === "system" ? item.text : item.tools.map(({ name, text }) => `${name}\n${text}`).join("\n"),
  );
  if (lane.live.some((block) => block.isHead && block.hash === key)) return;
  // Its pieces add up until a request was sent with them; what comes then is another head.
  const before = lane.headCalls.get(part);
  if (before !== undefined && before !== lane.calls) {
    settleAll(lane, to.settling);
    dropHead(lane, part);
    lane.changed ??= { cause: `${category}-changed`, event: null };
  }
  lane.headCalls.set(part, lane.calls);
  lane.hasLoggedHead ||= item.part === "system";
  const at = { item: to.notes.items, line: item.line, part, isHead: true };
  if (item.part === "system")
    addBlock(lane, { ...at, hash: key, tokens: tokensOf({ kind: "system", text: item.text, bytes: 0 }) });
  else
    for (const { name, text } of item.tools)
      addBlock(lane, {
        ...at,
        hash: key,
        tool: excerptOf(name),
        what: excerptOf(name),
        tokens: tokensOf({ kind: "tool", text, bytes: 0 }),
      });
}

function openCall(lane: Lane, item: ItemOf<"request"> | ItemOf<"usage">, to: Taking): Call {
  const model = item.type === "request" && item.model !== null ? excerptOf(item.model) : lane.model;
  if (model !== null && lane.models.size < modelsMax) lane.models.add(model);
  lane.model = model;
  const call: Call = {
    n: lane.calls,
    line: item.line,
    at: timeOf(item.at),
    model,
    blocks: lane.all.length,
    liveBlocks: lane.live.length,
    sums: [...lane.sums],
    report: null,
    key: null,
    measured: null,
    isCopied: false,
  };
  lane.calls += 1;
  keepCall(lane, item.request, call);
  lane.pending.push(call);
  settleReady(lane, to.settling);
  return call;
}

const modelsMax = 50;

/** In their order, and not before the next has begun: a later report of the same call counts instead of an earlier one. */
function settleReady(lane: Lane, settling: Settling): void {
  for (;;) {
    const [first] = lane.pending;
    const isReady = lane.pending.length > 1 && (first?.report !== null || lane.pending.length > bounds.auditPendingMax);
    if (first === undefined || !isReady) return;
    settle(lane, first, settling);
    lane.pending.shift();
  }
}

function takeCall(lane: Lane, item: ItemOf<"call">, to: Taking): void {
  const tool = excerptOf(item.tool);
  const server = serverOf(item.tool, item.input);
  const kind = toolKindOf(tool, server);
  if (to.notes.called.size < bounds.auditSeenMax) to.notes.called.add(tool);
  remember(lane.toolCalls, item.callId, {
    tool,
    server: server === null ? null : excerptOf(server),
    what: excerptOf(item.input),
    line: item.line,
    key: keyOf(`${item.tool}\n${item.input}`),
    file: fileReadBy(tool, kind, item.input),
  });
  add(lane, item, to, "calls", tokensOf({ kind: "tool-call", text: item.input, bytes: 0 }));
}

function takeResult(lane: Lane, item: ItemOf<"result">, to: Taking): void {
  const call = lane.toolCalls.get(item.callId);
  const tool = call?.tool ?? (item.tool === null ? "(unknown tool)" : excerptOf(item.tool));
  const part = to.parts.indexOf({ category: "results", tool, server: call?.server ?? serverOf(tool, "") });
  const tokens = tokensOf({ kind: "tool-result", text: item.text, bytes: 0 });
  const seen = seenBefore(lane, call, item.text, tokens);
  const what = tokens < excerptTokensMin && !item.failed ? "" : (call?.file ?? call?.what ?? excerptOf(item.text));
  const block = addBlock(lane, {
    item: to.notes.items,
    line: item.line,
    part,
    tool,
    what: excerptOf(what),
    hash: seen.hash,
    failed: item.failed,
    repeat: seen.repeat,
    tokens,
  });
  seen.remember(block);
  putImages(lane, item, to);
}

/** Of a smaller result nobody asks what it was. */
const excerptTokensMin = 32;

function takeUsage(lane: Lane, item: ItemOf<"usage">, to: Taking): void {
  if (!isPossible(item.usage)) {
    to.notes.impossible += 1;
    return;
  }
  if (isPastRequest(lane, item.request)) return;
  const call = lane.requests.get(item.request) ?? openCall(lane, item, to);
  const report = { usage: item.usage, known: item.known };
  if (call.measured !== null) {
    correct(lane, call, report, to.settling);
    return;
  }
  call.report = report;
  call.key = keyOf(item.key);
  settleReady(lane, to.settling);
}

/** Whole numbers that a provider may report. */
function isPossible(usage: Usage): boolean {
  return Object.values(usage).every(
    (tokens) => Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= bounds.reportedTokensMax,
  );
}

function takeRestart(lane: Lane, item: ItemOf<"restarted">, to: Taking): void {
  settleAll(lane, to.settling);
  restart(lane, item.why, item.keeps);
  lane.changed = { cause: restartCauses[item.why], event: item.why };
  if (item.why !== "compacted") return;
  lane.compactions += 1;
  lane.compaction = { line: item.line, by: item.by ?? "", tokens: lane.lastPromptTokens };
}

const restartCauses: Readonly<Record<ItemOf<"restarted">["why"], AuditMissCause>> = {
  compacted: "break:compacted",
  cleared: "break:cleared",
  rewound: "messages-changed",
};

function put(lane: Lane, item: Item, to: Taking, category: Category, kind: Measurable["kind"], text: string): void {
  add(lane, item, to, category, tokensOf({ kind, text, bytes: 0 }));
}

function putImages(lane: Lane, item: ItemOf<"message"> | ItemOf<"result">, to: Taking): void {
  const images = Math.min(whole(item.images), imagesMax);
  const tool = item.type === "result" ? (lane.toolCalls.get(item.callId)?.tool ?? item.tool) : null;
  const tokens = tokensOf({ kind: "image", text: null, bytes: 0 });
  for (let image = 0; image < images; image += 1) {
    const part = to.parts.indexOf({ category: "images", tool: null, server: null });
    addBlock(lane, { item: to.notes.items, line: item.line, part, tokens, tool, what: tool ?? "pasted" });
  }
}

/** More images in one item are a number that went wrong. */
const imagesMax = 100;

function add(lane: Lane, item: Item, to: Taking, category: Category, tokens: number): void {
  if (tokens === 0) return;
  const part = to.parts.indexOf({ category, tool: null, server: null });
  addBlock(lane, { item: to.notes.items, line: item.line, part, tokens });
}

function tokensOf(part: Measurable): number {
  return part.text === "" ? 0 : totalOf(measure(part));
}

function whole(count: number): number {
  return Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}

/** A time that a date can hold; null otherwise. */
export function timeOf(at: number | null): number | null {
  return at !== null && Number.isFinite(at) && Math.abs(at) <= latestMs ? at : null;
}

const latestMs = 8.64e15;
