import type { Usage, Wire } from "../kernel/usage.ts";
import { attachment, attachmentKind } from "./codec-attached.ts";
import { assistantBlock, compactionBlock, pointers, text } from "./codec-block.ts";
import {
  blobHash,
  boolean,
  type Check,
  either,
  list,
  nullable,
  number,
  optional,
  shape,
  string,
  union,
  words,
} from "./codec-check.ts";
import { failure, stop } from "./codec-failure.ts";
import { hookEnded, hookStarted } from "./codec-hook.ts";
import type {
  BreakReason,
  ClearNumbers,
  DamageEntry,
  Effort,
  EntryBody,
  EstimateState,
  FactScope,
  FileTouch,
  KeptOriginal,
  ModelChoice,
  PermissionMode,
  PieceEdit,
  Todo,
  TurnEnd,
  Verbosity,
} from "./entry.ts";
import type { LaneEnding } from "./lanes.ts";
import type { ClearedByProvider, ProviderClearing } from "./provider-clearing.ts";
import type { ToolMeasure } from "./server-entry.ts";
import type { ProviderSummary, SummaryOutcome, SummaryScope, SummaryWay } from "./summary.ts";

/** What a file may hold: all but the entry that the reader itself puts in the place of a bad line. */
export type WrittenBody = Exclude<EntryBody, DamageEntry>;

const wire = words<Wire>({ anthropic: true, chat: true, responses: true, gemini: true });

const effort = words<Effort>({ low: true, medium: true, high: true, xhigh: true, max: true });

const model = shape<ModelChoice>({
  wire,
  model: string,
  effort: nullable(effort),
  thinking: either(words<"off" | "adaptive">({ off: true, adaptive: true }), shape({ budgetTokens: number })),
  outputTokensMax: number,
});

const mode = words<PermissionMode>({
  default: true,
  acceptEdits: true,
  plan: true,
  dontAsk: true,
  bypassPermissions: true,
});

const epochReason = words<"start" | BreakReason>({
  start: true,
  cleared: true,
  collapsed: true,
  compacted: true,
  undone: true,
  "window-slid": true,
  "sections-changed": true,
  "model-changed": true,
  "effort-changed": true,
  "renderer-changed": true,
  "history-damaged": true,
  "client-changed": true,
});

const original = shape<KeptOriginal>({ handle: string, text });

const pieceEdit = union<PieceEdit, "type">("type", {
  dropped: shape({ from: string, to: string }),
  replaced: shape({ piece: string, text, original: optional(original), pointers: optional(pointers) }),
  unsigned: shape({ from: string, to: string }),
  inserted: shape({
    before: nullable(string),
    kind: words({ fold: true }),
    text,
    original,
  }),
});

const again = shape<NonNullable<Extract<EntryBody, { readonly type: "form-fixed" }>["again"]>>({
  what: string,
  times: number,
});

const clearing = shape<ClearNumbers>({
  reason: words({ cold: true, rent: true, pressure: true, tier: true }),
  savedTokens: number,
  behindTokens: number,
  reasoningTokens: number,
  rent: number,
  price: number,
  recalls: number,
  prices: words({ known: true, assumed: true, local: true }),
  rates: shape({ read: number, write: number, output: number }),
});

const cleared = shape<ClearedByProvider>({ results: number, tokens: number });

const providerClearing = shape<ProviderClearing>({
  triggerTokens: number,
  keptUses: number,
  clearedTokensMin: number,
  excludedTools: list(string),
});

const providerSummary = shape<ProviderSummary>({ from: wire, model: string, block: compactionBlock });

const scope = union<SummaryScope, "kind">("kind", {
  all: shape({ kind: words({ all: true }) }),
  from: shape({ kind: words({ from: true }), piece: string }),
  upto: shape({ kind: words({ upto: true }), piece: string }),
});

const estimate = shape<EstimateState>({
  overheadTokens: number,
  factors: shape({ code: number, json: number, prose: number, cjk: number, marks: optional(number) }),
  errors: list(number),
  covariance: list(number),
});

const usage = shape<Usage>({
  uncached: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  cacheWriteOther: number,
  output: number,
  reasoning: number,
});

const fileTouch = shape<FileTouch>({ path: string, hash: string, how: words({ read: true, written: true }) });

const toolMeasure = shape<ToolMeasure>({
  tool: string,
  calls: number,
  failed: number,
  rawTokens: number,
  shownTokens: number,
  rawTokensMax: number,
  shownTokensMax: number,
  ms: number,
});

const turnEnd = words<TurnEnd>({
  done: true,
  "step-limit": true,
  interrupted: true,
  "permission-refused": true,
  "provider-gave-up": true,
  "window-too-small": true,
  failed: true,
});

/** Format 1, total by entry type and by field: what is not checked here does not compile. */
export const bodyTable: { readonly [T in WrittenBody["type"]]: Check<Extract<WrittenBody, { readonly type: T }>> } = {
  "session-started": shape({
    format: number,
    session: string,
    lane: string,
    project: nullable(string),
    cwd: string,
    version: string,
  }),
  "session-forked": shape({ session: string, from: string, fromSeq: number }),
  "project-started": shape({ format: number, project: string }),
  "model-chosen": shape({ model }),
  "mode-chosen": shape({ mode, by: optional(words({ model: true })) }),
  "verbosity-chosen": shape({ verbosity: words<Verbosity>({ low: true, medium: true, high: true }) }),
  "message-added": shape({ text }),
  "context-observed": shape({ key: string, text: string }),
  "reminder-added": shape({
    source: string,
    text,
    side: optional(words({ system: true })),
    effort: optional(effort),
    until: optional(words({ "next-message": true })),
  }),
  "file-changed": shape({ path: string, hash: nullable(string) }),
  "text-attached": shape({ attachment }),
  "attachments-used": shape({ names: list(shape({ kind: attachmentKind, name: string })) }),
  "attachment-ended": shape({ kind: attachmentKind, name: string, why: string }),
  "tools-revealed": shape({
    callId: nullable(string),
    tools: list(shape({ name: string, server: string, tool: string, declaration: text, definition: string })),
  }),
  "server-measured": shape({
    server: string,
    toolCount: number,
    definitionTokens: number,
    tools: list(toolMeasure),
  }),
  "tool-approved": shape({ server: string, tool: string, definition: string, by: words({ user: true }) }),
  "lane-started": shape({ lane: string, kind: words({ fresh: true }), title: string, task: text, model }),
  "lane-finished": shape({
    lane: string,
    ending: words<LaneEnding>({ done: true, failed: true, interrupted: true, unknown: true }),
    detail: string,
    text,
    output: text,
    handle: string,
  }),
  "fact-proposed": shape({ fact: string, text: string, by: words({ user: true, agent: true }) }),
  "fact-pinned": shape({ fact: string, text: string, scope: words<FactScope>({ session: true, project: true }) }),
  "fact-refused": shape({ fact: string }),
  "fact-retired": shape({ fact: string }),
  "facts-shown": shape({ text }),
  "epoch-opened": shape({
    reason: epochReason,
    detail: string,
    head: shape({ tools: blobHash, system: blobHash }),
    model,
    userContext: text,
    facts: optional(text),
    attached: optional(list(attachment)),
    edits: list(pieceEdit),
    cost: shape({ tokensRewritten: number, reasoningTokensLost: number, usd: nullable(number) }),
    clearing: optional(clearing),
    providerClearing: optional(providerClearing),
    summary: optional(providerSummary),
  }),
  "compaction-asked": shape({ scope, focus: string }),
  "compaction-refused": shape({ detail: string }),
  "summary-asked": shape({
    request: string,
    as: words<SummaryWay>({ native: true, ride: true, strict: true, short: true, rolling: true }),
    scope,
    why: string,
    text,
  }),
  "summary-ended": shape({
    request: string,
    outcome: words<SummaryOutcome>({
      accepted: true,
      empty: true,
      "tool-call": true,
      junk: true,
      truncated: true,
      larger: true,
      "too-long": true,
      "rate-limited": true,
      failed: true,
      unsupported: true,
      interrupted: true,
    }),
    detail: string,
    text,
    native: optional(providerSummary),
    usage: nullable(usage),
    retryAfterMs: nullable(number),
    cleared: optional(cleared),
  }),
  "summary-made": shape({ request: string, upto: string, text }),
  "form-fixed": shape({ callId: string, handle: string, text, pointers: optional(pointers), again: optional(again) }),
  "limit-learned": shape({
    model: string,
    inputTokensMax: number,
    from: string,
    basis: optional(words({ guess: true })),
  }),
  "model-described": shape({
    model: string,
    inputTokensMax: nullable(number),
    outputTokensMax: nullable(number),
    from: string,
  }),
  "estimate-corrected": shape({ model: string, estimate, headTokens: optional(number) }),
  "request-sent": shape({
    request: string,
    purpose: words({ step: true, side: true }),
    attempt: number,
    segments: number,
    chain: string,
    cacheKey: string,
    marks: list(number),
    predicted: shape({ promptTokens: number, marginTokens: number, cacheReadTokens: number, cacheWriteTokens: number }),
  }),
  "response-received": shape({
    request: string,
    wire,
    model: string,
    messageId: string,
    blocks: list(assistantBlock),
    stop,
    usage: nullable(usage),
    firstTokenMs: nullable(number),
    report: nullable(string),
    cleared: optional(cleared),
  }),
  "request-failed": shape({ request: string, failure, partial: text }),
  "log-redacted": shape({ seqs: list(number), blobs: list(blobHash) }),
  "todos-written": shape({
    todos: list(shape<Todo>({ text: string, status: words({ pending: true, "in-progress": true, done: true }) })),
  }),
  "background-started": shape({ task: string, callId: string, command: string }),
  "background-ended": shape({
    task: string,
    ending: words({ exited: true, killed: true, "timed-out": true, "not-started": true, unknown: true }),
    exitCode: nullable(number),
    output: text,
    handle: string,
  }),
  "permission-asked": shape({ callId: string, why: string }),
  "permission-decided": shape({
    callId: string,
    allowed: boolean,
    by: words({ mode: true, rule: true, user: true, hook: true }),
    why: string,
  }),
  "tool-started": shape({ callId: string, tool: string }),
  "tool-returned": shape({
    callId: string,
    tool: string,
    ending: words({ done: true, failed: true, refused: true, interrupted: true, "not-run": true, "timed-out": true }),
    output: text,
    handle: string,
    exitCode: nullable(number),
    files: list(fileTouch),
    images: list(shape({ mediaType: string, data: text })),
  }),
  "placeholder-started": shape({
    run: string,
    command: string,
    what: string,
    allowed: boolean,
    by: words({ mode: true, rule: true, user: true, hook: true }),
    why: string,
  }),
  "placeholder-ended": shape({
    run: string,
    ending: words({ done: true, failed: true, "timed-out": true, interrupted: true, unknown: true }),
    exitCode: nullable(number),
    output: text,
    handle: string,
    tool: optional(string),
    what: optional(string),
  }),
  "hook-started": hookStarted,
  "hook-ended": hookEnded,
  "input-rewritten": shape({ callId: string, input: text, by: string }),
  "turn-ended": shape({ reason: turnEnd, detail: string }),
  "turn-resumed": shape({ after: turnEnd }),
  interrupted: shape({ by: string }),
  "outcome-unknown": union<Extract<WrittenBody, { readonly type: "outcome-unknown" }>, "what">("what", {
    request: shape({ what: words({ request: true }), request: string }),
    tool: shape({ what: words({ tool: true }), callId: string, text: string }),
  }),
};
