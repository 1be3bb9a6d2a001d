import { isRecord } from "../kernel/canonical.ts";
import type { Handle, RequestId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import type { AssistantBlock, Piece, Text } from "../log/block.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import { reduce } from "../log/reduce.ts";
import { shownIn } from "../log/shown.ts";
import { emptyState, type State } from "../log/state.ts";
import { bareHandle } from "../tools/recall.ts";
import type { Change } from "./defence-change.ts";
import { handlesTaken, type KeptOut, keptOutAt, rewrittenAt, standing, wordsOf } from "./defence-kept.ts";
import type { LineName } from "./defence-line.ts";
import { clearedByProvider } from "./defence-provider.ts";

type LineWork = { readonly times: number; readonly tokens: number };

export type DefenceWork = {
  readonly did: ReadonlyMap<LineName, LineWork>;
  readonly changes: ReadonlyMap<RequestId, readonly Change[]>;
  /** Tokens that each request was the first to carry, whatever the lines did: these are no rewriting. */
  readonly entered: ReadonlyMap<RequestId, number>;
};

/** What the log itself does not say. */
type WorkTools = {
  readonly tokensOf: (piece: Piece, state: State) => number;
  /** Text of an input; the log may keep it apart. */
  readonly read: (text: Text) => string;
  /** Only these were billed; what another one carried counts with the next. */
  readonly isAnswered: (request: RequestId) => boolean;
  /** What is larger could not have been sent, and counts as so much. */
  readonly windowTokens: number;
};

/** What each line did to each request, from the log alone. */
export function defenceWork(entries: Iterable<Entry>, tools: WorkTools): DefenceWork {
  const work: Work = {
    tools,
    did: new Map(),
    changes: new Map(),
    entered: new Map(),
    written: new Set(),
    sent: new Set(),
    originals: new Map(),
    takenBy: new Map(),
    recalled: new Map(),
    shownAgain: new Set(),
    kept: [],
    now: [],
    due: [],
    byProvider: nothingCleared,
  };
  let state = emptyState;
  let isBehindCompaction = false;
  for (const entry of entries) {
    const next = reduce(state, entry);
    if (entry.type === "epoch-opened") broke(work, entry, state, next);
    if (entry.type === "request-sent") sent(work, entry, state);
    if (entry.type === "response-received") answered(work, entry, state);
    if (entry.type === "tool-returned") work.originals.set(entry.callId, { handle: entry.handle, text: entry.output });
    if (entry.type === "summary-ended") summed(work, entry, state);
    if (entry.type === "reminder-added" && entry.source === "files" && isBehindCompaction)
      work.shownAgain.add(`${entry.seq}.0`);
    if (entry.type === "epoch-opened") isBehindCompaction = entry.reason === "compacted";
    else if (entry.type !== "form-fixed") isBehindCompaction = false;
    state = next;
  }
  return { did: work.did, changes: work.changes, entered: work.entered };
}

type Work = {
  readonly tools: WorkTools;
  readonly did: Map<LineName, LineWork>;
  readonly changes: Map<RequestId, Change[]>;
  readonly entered: Map<RequestId, number>;
  /** Pieces that a break wrote. */
  readonly written: Set<string>;
  /** Pieces that an answered request had. */
  readonly sent: Set<string>;
  readonly originals: Map<string, { readonly handle: Handle; readonly text: Text }>;
  /** By handle: the line that took the original away last. */
  readonly takenBy: Map<string, LineName>;
  /** By call: the line whose work a recall undoes. */
  readonly recalled: Map<string, LineName>;
  /** Pieces that show files again after a compaction. */
  readonly shownAgain: Set<string>;
  kept: readonly KeptOut[];
  /** Of them, what is still out of the prompt because of its line. */
  now: readonly KeptOut[];
  /** Costs of breaks that the next request pays. */
  due: readonly Change[];
  /** What the provider cleared of the newest answered request. */
  byProvider: ClearedByProvider;
};

const nothingCleared: ClearedByProvider = { results: 0, tokens: 0 };

const lineOfBreak: { readonly [R in EntryOf<"epoch-opened">["reason"]]?: LineName } = {
  cleared: "clear",
  collapsed: "collapse",
  compacted: "compact",
  "window-slid": "compact",
};

/** A break that is undone costs the line that made it. */
function broke(work: Work, entry: EntryOf<"epoch-opened">, before: State, after: State): void {
  const { tools, sent: known } = work;
  const stood = new Set(shownIn(before).map(({ id }) => id));
  for (const { id } of shownIn(after)) if (!stood.has(id)) work.written.add(id);
  // The provider begins afresh with a prompt that begins anew.
  if (entry.reason === "compacted" || entry.reason === "window-slid") work.byProvider = nothingCleared;
  const isUndo = entry.reason === "undone";
  const line = lineOfBreak[isUndo ? (before.undoable?.reason ?? "start") : entry.reason];
  if (line !== undefined) {
    const tokensOf = (piece: Piece) => tools.tokensOf(piece, after);
    if (!isUndo) {
      const kept = keptOutAt(before, after, tokensOf).map((one): KeptOut => ({ ...one, line, side: "kept-out" }));
      work.kept = [...work.kept, ...kept];
      note(
        work,
        line,
        kept.reduce((sum, { tokens }) => sum + tokens, 0),
      );
      for (const handle of handlesTaken(work.originals, entry.edits, before, after)) work.takenBy.set(handle, line);
    }
    const rewritten = rewrittenAt(before, after, (id) => known.has(id), tokensOf);
    const { reasoningTokensLost } = entry.cost;
    work.due = [
      ...work.due,
      { line, what: "rewritten", amount: rewritten },
      { line, what: "reasoning-lost", amount: reasoningTokensLost },
    ];
  }
  work.now = standing(work.kept, after);
}

/** A shortened copy, made for a summary only, or a request of its own says nothing of what the lane carries. */
function sent(work: Work, { request, purpose }: EntryOf<"request-sent">, state: State): void {
  if (!work.tools.isAnswered(request)) return;
  if (purpose === "side" && (state.summary.asked === null || state.summary.asked.as === "short")) return;
  const entered = shownIn(state).filter(({ id }) => !work.sent.has(id));
  const fresh = entered.flatMap((piece) => enteredAs(piece, work, state));
  const changes = changesOf(work, request);
  changes.push(...work.due, ...totals(work.now, ""), ...totals(fresh, "-new"));
  const due = entered.filter(({ id }) => !work.written.has(id));
  work.entered.set(
    request,
    due.reduce((sum, piece) => sum + work.tools.tokensOf(piece, state), 0),
  );
  for (const { id } of entered) work.sent.add(id);
  work.kept = [...work.kept, ...fresh];
  work.now = [...work.now, ...fresh];
  work.due = [];
}

function totals(kept: readonly KeptOut[], when: "" | "-new"): readonly Change[] {
  const sums = new Map<string, Change>();
  for (const { line, side, tokens } of kept) {
    const key = `${line} ${side}`;
    sums.set(key, { line, what: `${side}${when}`, amount: (sums.get(key)?.amount ?? 0) + tokens });
  }
  return [...sums.values()];
}

/** What a first form and its pointers leave out, and what stands there only because a line had taken it away. */
function enteredAs(piece: Piece, work: Work, state: State): readonly KeptOut[] {
  const { tools, originals, takenBy, recalled, shownAgain } = work;
  const tokens = tools.tokensOf(piece, state);
  const at = { anchor: piece.id, words: wordsOf(piece), gone: null };
  if (shownAgain.has(piece.id)) return [{ ...at, line: "compact", side: "added", tokens }];
  if (piece.role !== "user" || piece.block.type !== "tool-result") return [];
  const { block } = piece;
  const by = recalled.get(block.callId);
  const added: readonly KeptOut[] = by === undefined ? [] : [{ ...at, line: by, side: "added", tokens }];
  const original = originals.get(block.callId);
  if (original === undefined) return added;
  const sizeOf = (text: Text) => tools.tokensOf({ ...piece, block: { ...block, text } }, state);
  const whole = Math.min(sizeOf(original.text), Math.max(tools.windowTokens, tokens));
  const form = block.pointers === undefined ? tokens : sizeOf(block.pointers.full);
  const less = [
    { line: "first-forms", tokens: whole - form },
    { line: "pointers", tokens: form - tokens },
  ] as const;
  const kept = less.filter((one) => one.tokens > 0);
  for (const { line, tokens: out } of kept) note(work, line, out);
  const main = kept.toSorted((a, b) => b.tokens - a.tokens)[0];
  if (main !== undefined) takenBy.set(original.handle, main.line);
  return [...added, ...kept.map((one): KeptOut => ({ ...at, ...one, side: "kept-out" }))];
}

/** Calls of `recall` that name what a line took away. A search without a handle is nobody's. */
function answered(work: Work, entry: EntryOf<"response-received">, state: State): void {
  const { request, blocks } = entry;
  cleared(work, entry, state);
  const calls = blocks.filter((block) => block.type === "tool-call");
  for (const call of calls) {
    const line = recallOf(call, work);
    if (line === null) continue;
    work.recalled.set(call.callId, line);
    changesOf(work, request).push({ line, what: "recall", amount: 1 / calls.length });
  }
}

/** Its price, and what the provider cleared of it; of a shortened copy nobody knows what the lane's lines kept out. */
function summed(work: Work, entry: EntryOf<"summary-ended">, state: State): void {
  if (entry.usage === null) return;
  changesOf(work, entry.request).push({ line: "compact", what: "summary", amount: 1 });
  const { asked } = state.summary;
  if (asked?.request === entry.request && asked.as !== "short") cleared(work, entry, state);
}

function cleared(
  work: Work,
  { request, cleared: by = nothingCleared }: EntryOf<"response-received" | "summary-ended">,
  state: State,
): void {
  if (by.results > 0) changesOf(work, request).push(...clearedByProvider(by, work.now, state));
  if (by.results > work.byProvider.results) {
    note(work, "clear", by.tokens - work.byProvider.tokens);
    // Behind what it cleared nothing was read.
    changesOf(work, request).push({ line: "clear", what: "rewritten", amount: Number.POSITIVE_INFINITY });
  }
  work.byProvider = by;
}

function recallOf(
  { tool, input }: Extract<AssistantBlock, { readonly type: "tool-call" }>,
  { tools, takenBy }: Work,
): LineName | null {
  if (tool !== "recall") return null;
  const parsed = parseJson(tools.read(input));
  const given = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.handle : null;
  if (typeof given !== "string" || given === "") return null;
  const handle = bareHandle(given);
  const named = takenBy.get(handle) ?? [...takenBy].find(([whole]) => whole.startsWith(handle))?.[1];
  return named ?? null;
}

function note({ did }: Work, line: LineName, tokens: number): void {
  const before = did.get(line) ?? { times: 0, tokens: 0 };
  did.set(line, { times: before.times + 1, tokens: before.tokens + tokens });
}

function changesOf({ changes }: Work, request: RequestId): Change[] {
  const known = changes.get(request);
  if (known !== undefined) return known;
  const made: Change[] = [];
  changes.set(request, made);
  return made;
}
