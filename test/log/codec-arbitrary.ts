import fc from "fast-check";
import { brand, type Hash } from "../../src/kernel/ids.ts";
import { attachmentKinds } from "../../src/log/attached.ts";
import type { AssistantBlock, Text } from "../../src/log/block.ts";
import type { WrittenBody } from "../../src/log/codec-body.ts";
import type { ModelChoice, PieceEdit } from "../../src/log/entry.ts";
import { hookEvents } from "../../src/log/hook.ts";

// Any string at all: control characters, half surrogate pairs, quotes, and what looks like our own lines.
const string = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '{"seq":1', "\n", "\r\n", "\0", "\u2028", "\uFEFF", "\ud800", "__proto__", "漢字😀"),
);
const id = string.map((text) => brand<never>(text));
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0);
const hash = fc.stringMatching(/^[0-9a-f]{64}$/).map((text): Hash => brand(text));
const text: fc.Arbitrary<Text> = fc.oneof(string, fc.record({ blob: hash, chars: fc.nat() }));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const wire = fc.constantFrom("anthropic", "chat");

const model: fc.Arbitrary<ModelChoice> = fc.record({
  wire,
  model: string,
  effort: orNull(fc.constantFrom("low", "medium", "high", "xhigh", "max")),
  thinking: fc.oneof(fc.constantFrom("off", "adaptive"), fc.record({ budgetTokens: fc.nat() })),
  outputTokensMax: fc.nat(),
});

/** What goes back to a provider is JSON, and a call's holds its id. */
const json = fc.oneof(
  fc.json(),
  text.filter((value) => typeof value !== "string"),
);
const call = fc
  .record({ type: fc.constant("tool-call"), callId: id, tool: string, input: text, sent: fc.option(json) })
  .map(({ sent, ...fields }) => {
    if (sent === null) return fields;
    return { ...fields, wire: typeof sent === "string" ? `{"id":${JSON.stringify(fields.callId)},"x":${sent}}` : sent };
  });

const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant("text"), text, wire: json }, { requiredKeys: ["type", "text"] }),
  call,
  fc.record({ type: fc.constant("reasoning"), text, wire: json }, { requiredKeys: ["type", "text"] }),
  fc.record({ type: fc.constant("opaque"), wire: json }),
);

const pointers = fc.record({
  full: text,
  points: fc.array(fc.record({ carrier: string, first: fc.nat(), count: fc.nat(), line: fc.nat() }), { maxLength: 2 }),
});

const attachmentKind = fc.constantFrom(...attachmentKinds);
const limits = fc.record({
  allowed: fc.option(fc.array(fc.string(), { maxLength: 2 })),
  disallowed: fc.array(fc.string(), { maxLength: 2 }),
  grants: fc.boolean(),
});
const attachment = fc.record(
  { kind: attachmentKind, name: string, source: string, hash, text, limits, folder: string, original: text },
  { requiredKeys: ["kind", "name", "source", "hash", "text"] },
);

const edit: fc.Arbitrary<PieceEdit> = fc.oneof(
  fc.record({ type: fc.constant("dropped"), from: string, to: string }),
  fc.record(
    { type: fc.constant("replaced"), piece: string, text, original: fc.record({ handle: id, text }), pointers },
    { requiredKeys: ["type", "piece", "text"] },
  ),
  fc.record({ type: fc.constant("unsigned"), from: string, to: string }),
  fc.record({
    type: fc.constant("inserted"),
    before: orNull(string),
    kind: fc.constant("fold"),
    text,
    original: fc.record({ handle: id, text }),
  }),
);

const usage = fc.record({
  uncached: fc.nat(),
  cacheRead: fc.nat(),
  cacheWrite5m: fc.nat(),
  cacheWrite1h: fc.nat(),
  cacheWriteOther: fc.nat(),
  output: fc.nat(),
  reasoning: fc.nat(),
});

const failure = fc.record({
  class: fc.constantFrom("overflow", "rate-limited", "network", "interrupted"),
  status: orNull(fc.nat()),
  message: string,
  retryAfterMs: orNull(fc.nat()),
  promptTokens: orNull(fc.nat()),
  limitTokens: orNull(fc.nat()),
});

const estimate = fc.record({
  overheadTokens: number,
  factors: fc.record(
    { code: number, json: number, prose: number, cjk: number, marks: number },
    { requiredKeys: ["code", "json", "prose", "cjk"] },
  ),
  errors: fc.array(number),
  covariance: fc.array(number),
});

const clearing = fc.record({
  reason: fc.constantFrom("cold", "rent", "pressure", "tier"),
  savedTokens: number,
  behindTokens: number,
  reasoningTokens: number,
  rent: number,
  price: number,
  recalls: number,
  prices: fc.constantFrom("known", "assumed", "local"),
  rates: fc.record({ read: number, write: number, output: number }),
});

const scope = fc.oneof(
  fc.record({ kind: fc.constant("all") }),
  fc.record({ kind: fc.constant("from"), piece: string }),
  fc.record({ kind: fc.constant("upto"), piece: string }),
);

/** Any entry of each type: total, so that a new type is fuzzed from its first day. */
export const bodies: {
  readonly [T in WrittenBody["type"]]: fc.Arbitrary<Extract<WrittenBody, { readonly type: T }>>;
} = {
  "session-started": fc.record({
    type: fc.constant("session-started"),
    format: fc.constant(1),
    session: id,
    lane: id,
    project: orNull(id),
    cwd: string,
    version: string,
  }),
  "session-forked": fc.record({ type: fc.constant("session-forked"), session: id, from: id, fromSeq: fc.nat() }),
  "project-started": fc.record({ type: fc.constant("project-started"), format: fc.constant(1), project: id }),
  "model-chosen": fc.record({ type: fc.constant("model-chosen"), model }),
  "mode-chosen": fc.record({
    type: fc.constant("mode-chosen"),
    mode: fc.constantFrom("default", "acceptEdits", "plan"),
  }),
  "log-redacted": fc.record({
    type: fc.constant("log-redacted"),
    seqs: fc.array(fc.nat()),
    blobs: fc.array(hash),
  }),
  "verbosity-chosen": fc.record({
    type: fc.constant("verbosity-chosen"),
    verbosity: fc.constantFrom("low", "medium", "high"),
  }),
  "message-added": fc.record({ type: fc.constant("message-added"), text }),
  "context-observed": fc.record({ type: fc.constant("context-observed"), key: string, text: string }),
  "reminder-added": fc.record(
    {
      type: fc.constant("reminder-added"),
      source: string,
      text,
      side: fc.constant("system" as const),
      effort: fc.constantFrom("low", "medium", "high", "xhigh", "max"),
      until: fc.constant("next-message" as const),
    },
    { requiredKeys: ["type", "source", "text"] },
  ),
  "file-changed": fc.record({ type: fc.constant("file-changed"), path: string, hash: orNull(hash) }),
  "fact-proposed": fc.record({
    type: fc.constant("fact-proposed"),
    fact: id,
    text: string,
    by: fc.constantFrom("user", "agent"),
  }),
  "fact-pinned": fc.record({
    type: fc.constant("fact-pinned"),
    fact: id,
    text: string,
    scope: fc.constantFrom("session", "project"),
  }),
  "fact-refused": fc.record({ type: fc.constant("fact-refused"), fact: id }),
  "fact-retired": fc.record({ type: fc.constant("fact-retired"), fact: id }),
  "facts-shown": fc.record({ type: fc.constant("facts-shown"), text }),
  "text-attached": fc.record({ type: fc.constant("text-attached"), attachment }),
  "attachments-used": fc.record({
    type: fc.constant("attachments-used"),
    names: fc.array(fc.record({ kind: attachmentKind, name: string }), { maxLength: 3 }),
  }),
  "tools-revealed": fc.record({
    type: fc.constant("tools-revealed"),
    callId: orNull(id),
    tools: fc.array(fc.record({ name: string, server: string, tool: string, declaration: text, definition: hash }), {
      maxLength: 3,
    }),
  }),
  "server-measured": fc.record({
    type: fc.constant("server-measured"),
    server: string,
    toolCount: number,
    definitionTokens: number,
    tools: fc.array(
      fc.record({
        tool: string,
        calls: number,
        failed: number,
        rawTokens: number,
        shownTokens: number,
        rawTokensMax: number,
        shownTokensMax: number,
        ms: number,
      }),
      { maxLength: 3 },
    ),
  }),
  "tool-approved": fc.record({
    type: fc.constant("tool-approved"),
    server: string,
    tool: string,
    definition: hash,
    by: fc.constant("user"),
  }),
  "lane-started": fc.record({
    type: fc.constant("lane-started"),
    lane: id,
    kind: fc.constant("fresh"),
    title: string,
    task: text,
    model,
  }),
  "lane-finished": fc.record({
    type: fc.constant("lane-finished"),
    lane: id,
    ending: fc.constantFrom("done", "failed", "interrupted", "unknown"),
    detail: string,
    text,
    output: text,
    handle: id,
  }),
  "attachment-ended": fc.record({
    type: fc.constant("attachment-ended"),
    kind: attachmentKind,
    name: string,
    why: string,
  }),
  "epoch-opened": fc.record(
    {
      type: fc.constant("epoch-opened"),
      reason: fc.constantFrom("start", "compacted", "collapsed", "cleared", "undone", "window-slid"),
      detail: string,
      head: fc.record({ tools: hash, system: hash }),
      model,
      userContext: text,
      facts: text,
      attached: fc.array(attachment, { maxLength: 2 }),
      clearing,
      providerClearing: fc.record({
        triggerTokens: number,
        keptUses: fc.nat(),
        clearedTokensMin: number,
        excludedTools: fc.array(string, { maxLength: 3 }),
      }),
      edits: fc.array(edit, { maxLength: 3 }),
      cost: fc.record({ tokensRewritten: number, reasoningTokensLost: number, usd: orNull(number) }),
    },
    { requiredKeys: ["type", "reason", "detail", "head", "model", "userContext", "edits", "cost"] },
  ),
  "compaction-asked": fc.record({ type: fc.constant("compaction-asked"), scope, focus: string }),
  "compaction-refused": fc.record({ type: fc.constant("compaction-refused"), detail: string }),
  "summary-asked": fc.record({
    type: fc.constant("summary-asked"),
    request: id,
    as: fc.constantFrom("ride", "strict", "short"),
    scope,
    why: string,
    text,
  }),
  "summary-ended": fc.record(
    {
      type: fc.constant("summary-ended"),
      request: id,
      outcome: fc.constantFrom("accepted", "empty", "too-long", "interrupted"),
      detail: string,
      text,
      usage: orNull(usage),
      retryAfterMs: orNull(fc.nat()),
      cleared: fc.record({ results: fc.nat(), tokens: number }),
    },
    { requiredKeys: ["type", "request", "outcome", "detail", "text", "usage", "retryAfterMs"] },
  ),
  "summary-made": fc.record({ type: fc.constant("summary-made"), request: id, upto: string, text }),
  "form-fixed": fc.record(
    {
      type: fc.constant("form-fixed"),
      callId: id,
      handle: id,
      text,
      pointers,
      again: fc.record({ what: string, times: fc.nat() }),
    },
    { requiredKeys: ["type", "callId", "handle", "text"] },
  ),
  "limit-learned": fc.record(
    {
      type: fc.constant("limit-learned"),
      model: string,
      inputTokensMax: number,
      from: string,
      basis: fc.constant("guess"),
    },
    { requiredKeys: ["type", "model", "inputTokensMax", "from"] },
  ),
  "model-described": fc.record({
    type: fc.constant("model-described"),
    model: string,
    inputTokensMax: orNull(number),
    outputTokensMax: orNull(number),
    from: string,
  }),
  "estimate-corrected": fc.record(
    { type: fc.constant("estimate-corrected"), model: string, estimate, headTokens: number },
    { requiredKeys: ["type", "model", "estimate"] },
  ),
  "request-sent": fc.record({
    type: fc.constant("request-sent"),
    request: id,
    purpose: fc.constantFrom("step", "side"),
    attempt: fc.nat(),
    segments: fc.nat(),
    chain: hash,
    cacheKey: string,
    marks: fc.array(fc.nat(), { maxLength: 4 }),
    predicted: fc.record({
      promptTokens: number,
      marginTokens: number,
      cacheReadTokens: number,
      cacheWriteTokens: number,
    }),
  }),
  "response-received": fc.record(
    {
      type: fc.constant("response-received"),
      request: id,
      wire,
      model: string,
      messageId: string,
      blocks: fc.array(block, { maxLength: 4 }),
      stop: fc.constantFrom("end-turn", "tool-use", "unknown"),
      usage: orNull(usage),
      firstTokenMs: orNull(number),
      report: orNull(string),
      cleared: fc.record({ results: fc.nat(), tokens: number }),
    },
    {
      requiredKeys: [
        "type",
        "request",
        "wire",
        "model",
        "messageId",
        "blocks",
        "stop",
        "usage",
        "firstTokenMs",
        "report",
      ],
    },
  ),
  "request-failed": fc.record({ type: fc.constant("request-failed"), request: id, failure, partial: text }),
  "todos-written": fc.record({
    type: fc.constant("todos-written"),
    todos: fc.array(fc.record({ text: string, status: fc.constantFrom("pending", "in-progress", "done") }), {
      maxLength: 3,
    }),
  }),
  "background-started": fc.record({ type: fc.constant("background-started"), task: id, callId: id, command: string }),
  "background-ended": fc.record({
    type: fc.constant("background-ended"),
    task: id,
    ending: fc.constantFrom("exited", "killed", "timed-out", "not-started", "unknown"),
    exitCode: orNull(number),
    output: text,
    handle: id,
  }),
  "placeholder-started": fc.record({
    type: fc.constant("placeholder-started"),
    run: string,
    command: string,
    what: string,
    allowed: fc.boolean(),
    by: fc.constantFrom("mode", "rule", "user"),
    why: string,
  }),
  "placeholder-ended": fc.record(
    {
      type: fc.constant("placeholder-ended"),
      run: string,
      ending: fc.constantFrom("done", "failed", "timed-out", "interrupted", "unknown"),
      exitCode: orNull(number),
      output: text,
      handle: id,
      tool: string,
      what: string,
    },
    { requiredKeys: ["type", "run", "ending", "exitCode", "output", "handle"] },
  ),
  "hook-started": fc.record(
    {
      type: fc.constant("hook-started"),
      run: string,
      event: fc.constantFrom(...hookEvents),
      command: string,
      callId: id,
    },
    { requiredKeys: ["type", "run", "event", "command"] },
  ),
  "hook-ended": fc.record(
    {
      type: fc.constant("hook-ended"),
      run: string,
      event: fc.constantFrom(...hookEvents),
      command: string,
      outcome: fc.constantFrom("done", "blocked", "unreadable", "unknown"),
      exitCode: orNull(number),
      ms: orNull(number),
      detail: string,
      message: string,
      stops: string,
    },
    { requiredKeys: ["type", "run", "event", "command", "outcome", "exitCode", "ms", "detail"] },
  ),
  "input-rewritten": fc.record({ type: fc.constant("input-rewritten"), callId: id, input: text, by: string }),
  "permission-asked": fc.record({ type: fc.constant("permission-asked"), callId: id, why: string }),
  "permission-decided": fc.record({
    type: fc.constant("permission-decided"),
    callId: id,
    allowed: fc.boolean(),
    by: fc.constantFrom("mode", "rule", "user"),
    why: string,
  }),
  "tool-started": fc.record({ type: fc.constant("tool-started"), callId: id, tool: string }),
  "tool-returned": fc.record({
    type: fc.constant("tool-returned"),
    callId: id,
    tool: string,
    ending: fc.constantFrom("done", "failed", "refused", "interrupted", "not-run", "timed-out"),
    output: text,
    handle: id,
    exitCode: orNull(fc.integer()),
    files: fc.array(fc.record({ path: string, hash, how: fc.constantFrom("read", "written") }), { maxLength: 2 }),
    images: fc.array(fc.record({ mediaType: string, data: text }), { maxLength: 2 }),
  }),
  "turn-resumed": fc.record({
    type: fc.constant("turn-resumed"),
    after: fc.constantFrom("interrupted", "provider-gave-up"),
  }),
  "turn-ended": fc.record({
    type: fc.constant("turn-ended"),
    reason: fc.constantFrom("done", "failed"),
    detail: string,
  }),
  interrupted: fc.record({ type: fc.constant("interrupted"), by: string }),
  "outcome-unknown": fc.oneof(
    fc.record({ type: fc.constant("outcome-unknown"), what: fc.constant("request"), request: id }),
    fc.record({ type: fc.constant("outcome-unknown"), what: fc.constant("tool"), callId: id, text: string }),
  ),
};

export const anyBody: fc.Arbitrary<WrittenBody> = fc.oneof(...Object.values(bodies));

export const anyLine = fc.record({
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  at: number,
  fence: orNull(fc.nat()),
  prev: fc.oneof(fc.constant<"">(""), hash),
  body: anyBody,
});
