import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Piece } from "../../src/log/block.ts";
import type { Entry, EntryBody, EntryOf, EntryType } from "../../src/log/entry.ts";
import { pendingPieces, reduce, reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { testModel } from "../support/world.ts";

const hash = hashOf("x");
const entries = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 1_000 + index, ...body }));
const after = (...bodies: readonly EntryBody[]): State => reduceAll(emptyState, entries(...bodies));
/** One more entry on top of a state. */
const then = (state: State, ...bodies: readonly EntryBody[]): State =>
  bodies.reduce((before, body) => reduce(before, { seq: before.seq + 1, at: before.at + 1, ...body }), state);

const started: EntryBody = {
  type: "session-started",
  format: 1,
  session: brand("s"),
  lane: mainLane,
  project: null,
  cwd: "/w",
  version: "0",
};
const chosen: EntryBody = { type: "model-chosen", model: testModel };
const message = (text: string): EntryBody => ({ type: "message-added", text });
const epoch = (changes: Partial<EntryOf<"epoch-opened">> = {}): EntryBody => ({
  type: "epoch-opened",
  reason: "start",
  detail: "",
  head: { tools: hash, system: hash },
  model: testModel,
  userContext: "context",
  edits: [],
  cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
  ...changes,
});
const sent = (request = "r1", purpose: "step" | "side" = "step"): EntryBody => ({
  type: "request-sent",
  request: brand(request),
  purpose,
  attempt: 1,
  segments: 3,
  chain: hash,
  cacheKey: "k",
  marks: [2],
  predicted: { promptTokens: 10, marginTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const response = (calls: readonly string[], request = "r1"): EntryBody => ({
  type: "response-received",
  request: brand(request),
  wire: "anthropic",
  model: "m",
  messageId: "msg",
  blocks: [
    { type: "text", text: "said" },
    ...calls.map((id) => ({ type: "tool-call", callId: brand<"CallId">(id), tool: "look", input: "{}" }) as const),
  ],
  stop: calls.length > 0 ? "tool-use" : "end-turn",
  usage: null,
  firstTokenMs: null,
  report: null,
});
const failed = (request = "r1", kind: "server" | "overflow" | "binding" = "server"): EntryBody => ({
  type: "request-failed",
  request: brand(request),
  failure: { class: kind, status: 500, message: "no", retryAfterMs: null, promptTokens: null, limitTokens: null },
  partial: "",
});
const returned = (id: string, changes: Partial<EntryOf<"tool-returned">> = {}): EntryBody => ({
  type: "tool-returned",
  callId: brand(id),
  tool: "look",
  ending: "done",
  output: `out ${id}`,
  handle: handleOf(hashOf(id)),
  exitCode: null,
  files: [],
  images: [],
  ...changes,
});
const allowed = (id: string, yes = true): EntryBody => ({
  type: "permission-decided",
  callId: brand(id),
  allowed: yes,
  by: "mode",
  why: "so",
});
const ended = (reason: EntryOf<"turn-ended">["reason"] = "done"): EntryBody => ({
  type: "turn-ended",
  reason,
  detail: "",
});
const interrupted: EntryBody = { type: "interrupted", by: "test" };

const opened = after(started, chosen, message("go"), epoch());
const asked = then(opened, sent());
const calling = then(asked, response(["a", "b"]));
const texts = (pieces: readonly Piece[]) =>
  pieces.map(({ block }) =>
    "text" in block ? block.text : block.type === "tool-call" ? `call ${block.callId}` : block.type,
  );

describe("a turn", () => {
  test("begins with a message, and its entries move what waits into the prompt", () => {
    expect(opened.turn).toMatchObject({ fromSeq: 3, steps: 0, interruptedAt: null });
    expect(texts(opened.live)).toEqual(["context"]);
    expect(texts(pendingPieces(opened))).toEqual(["go"]);
    expect(texts(asked.live)).toEqual(["context", "go"]);
    expect(pendingPieces(asked)).toEqual([]);
    expect(asked.request).toMatchObject({ id: "r1", attempt: 1 });
    expect(texts(calling.live)).toEqual(["context", "go", "said", "call a", "call b"]);
    expect(calling).toMatchObject({ request: null, turn: { steps: 1 }, newest: { hasCalls: true } });
  });

  test("a message that comes while an answer does stands behind that answer", () => {
    const state = then(asked, message("more"), response([]));
    expect(texts(state.live)).toEqual(["context", "go", "said"]);
    expect(texts(pendingPieces(state))).toEqual(["more"]);
  });

  test("when damage took the `request-sent` away, the answer still stands behind what it answers", () => {
    expect(texts(then(opened, response([])).live)).toEqual(["context", "go", "said"]);
  });

  test("results come in call order whatever order they finished in, then images, reminders and messages", () => {
    const image = { mediaType: "image/png", data: "aGk=" };
    const state = then(
      calling,
      message("hurry"),
      { type: "reminder-added", source: "mode", text: "plan" },
      returned("b", { images: [image] }),
      returned("a"),
    );
    expect(texts(pendingPieces(state))).toEqual(["out a", "out b", "image", "plan", "hurry"]);
    expect(texts(then(state, sent("r2")).live).slice(-5)).toEqual(["out a", "out b", "image", "plan", "hurry"]);
  });

  test("a result is an error unless its call is done, and its first form replaces its text", () => {
    const state = then(calling, returned("a", { ending: "failed" }), returned("b"), {
      type: "form-fixed",
      callId: brand("b"),
      handle: handleOf(hashOf("b")),
      text: "short",
    });
    expect(pendingPieces(state).map(({ block }) => ("isError" in block ? block.isError : null))).toEqual([true, false]);
    expect(texts(pendingPieces(state))).toEqual(["out a", "short"]);
    expect([...itemsOf(state.originals)].map(({ text }) => text)).toEqual(["out a", "out b"]);
  });

  const endings: readonly (readonly [EntryOf<"turn-ended">["reason"], "goes on" | "waits" | "is dropped"])[] = [
    ["done", "goes on"],
    ["interrupted", "goes on"],
    ["step-limit", "goes on"],
    ["permission-refused", "goes on"],
    ["provider-gave-up", "waits"],
    ["failed", "waits"],
    ["window-too-small", "is dropped"],
  ];
  for (const [reason, what] of endings)
    test(`ends as ${reason}: a message that came meanwhile ${what}`, () => {
      const state = then(asked, message("more"), response([]), ended(reason));
      expect(state.lastTurn?.reason).toBe(reason);
      expect(state.turn !== null).toBe(what === "goes on");
      expect(texts(pendingPieces(state))).toEqual(what === "is dropped" ? [] : ["more"]);
    });

  test("an interrupt stops what was said before it, not what is said behind it", () => {
    const before = then(opened, interrupted, ended("interrupted"));
    expect(before.turn).toBeNull();
    expect(texts(pendingPieces(before))).toEqual(["go"]);
    const behind = then(opened, interrupted, message("no, this"), ended("interrupted"));
    expect(behind.turn).toMatchObject({ interruptedAt: null, steps: 0 });
    expect(texts(pendingPieces(behind))).toEqual(["go", "no, this"]);
  });
});

describe("a call", () => {
  test("goes from waiting to its result", () => {
    const status = (state: State) => state.calls.map((call) => call.status.type);
    expect(status(calling)).toEqual(["waiting", "waiting"]);
    const judged = then(calling, { type: "permission-asked", callId: brand("a"), why: "" }, allowed("b"));
    expect(status(judged)).toEqual(["asked", "allowed"]);
    const running = then(judged, allowed("a", false), { type: "tool-started", callId: brand("b"), tool: "look" });
    expect(status(running)).toEqual(["refused", "started"]);
    expect(status(then(running, returned("a", { ending: "refused" }), returned("b")))).toEqual([
      "returned",
      "returned",
    ]);
  });

  test("that has its result is opened by nothing, and keeps that result", () => {
    const done = then(calling, returned("a"));
    for (const body of [
      returned("a", { output: "other" }),
      allowed("a"),
      allowed("a", false),
      { type: "permission-asked", callId: brand("a"), why: "" },
      { type: "tool-started", callId: brand("a"), tool: "look" },
      { type: "outcome-unknown", what: "tool", callId: brand("a"), text: "?" },
    ] satisfies EntryBody[]) {
      const { calls, turn, originals } = then(done, body);
      expect({ calls, turn, originals }).toEqual({ calls: done.calls, turn: done.turn, originals: done.originals });
    }
  });

  test("of unknown outcome has an error for its result", () => {
    const state = then(calling, { type: "outcome-unknown", what: "tool", callId: brand("a"), text: "unknown" });
    expect(texts(pendingPieces(state))).toEqual(["unknown"]);
    expect(state.calls[0]?.status.type).toBe("returned");
  });

  test("refusals count until a call succeeds", () => {
    const refused = then(calling, allowed("a", false));
    expect(refused.turn?.refusals).toBe(1);
    expect(then(refused, returned("a", { ending: "refused" })).turn?.refusals).toBe(1);
    expect(then(refused, returned("b")).turn?.refusals).toBe(0);
  });
});

describe("an epoch", () => {
  const done = then(calling, returned("a"), returned("b"), sent("r2"), response([], "r2"));
  const ids = done.live.map(({ id }) => id);

  test("writes the user context anew in front and applies its edits in order", () => {
    const state = then(
      done,
      epoch({
        reason: "compacted",
        userContext: "newer",
        edits: [
          { type: "dropped", from: ids[2] ?? "", to: ids[6] ?? "" },
          { type: "replaced", piece: ids[1] ?? "", text: "changed" },
          {
            type: "inserted",
            before: ids[1] ?? "",
            kind: "fold",
            text: "folded",
            original: { handle: handleOf(hash), text: "all" },
          },
        ],
      }),
    );
    expect(texts(state.live)).toEqual(["newer", "folded", "changed", "said"]);
    expect(state.turn?.folds).toBe(1);
    expect([...itemsOf(state.originals)].at(-1)).toMatchObject({ handle: handleOf(hash), callId: null, text: "all" });
    expect(state).toMatchObject({ sent: null, newest: { segments: 0 }, epoch: { number: 2, reason: "compacted" } });
  });

  test("counts folds in a row: bounds.stepsBetweenFoldsMin answered steps between two begin the count again", () => {
    const fold = epoch({ reason: "compacted" });
    const step = (state: State) => then(state, sent(), response(["a"]), returned("a"));
    expect(then(step(then(done, fold)), fold).turn?.folds).toBe(2);
    const progress = Array.from({ length: bounds.stepsBetweenFoldsMin }).reduce<State>(step, then(done, fold));
    expect(then(progress, fold).turn?.folds).toBe(1);
  });

  test("a compaction that the lines asked for in vain counts as a fold, so that it is not tried for ever; the user's does not", () => {
    const inVain = { type: "compaction-refused", detail: "nothing" } as const;
    expect(then(done, inVain, inVain).turn?.folds).toBe(2);
    const asked = { type: "compaction-asked", scope: { kind: "all" }, focus: "" } as const;
    expect(then(done, asked, inVain).turn?.folds).toBe(0);
  });

  test("that was asked for by hand goes with the turn that the user stops, also between two tries for its summary", () => {
    const wanted = { type: "compaction-asked", scope: { kind: "all" }, focus: "" } as const;
    const open = then(calling, wanted);
    expect(open.summary.wanted).not.toBeNull();
    expect(then(open, { type: "interrupted", by: "the user" }).summary.wanted).toBeNull();
  });

  test("takes results that were not sent yet, and their calls, only where it says so", () => {
    const pending = then(calling, returned("a"), returned("b"));
    const drop = (id: string) => ({ type: "dropped", from: id, to: id }) as const;
    const [a = "", b = ""] = pendingPieces(pending).map(({ id }) => id);
    const one = then(pending, epoch({ reason: "compacted", edits: [drop(a)] }));
    expect(texts(pendingPieces(one))).toEqual(["out b"]);
    const both = then(pending, epoch({ reason: "compacted", edits: [drop(a), drop(b)] }));
    expect(both.calls).toEqual([]);
  });

  const healed = (reason: EntryOf<"epoch-opened">["reason"], kind: "server" | "overflow" | "binding") =>
    then(asked, failed("r1", kind), epoch({ reason })).failure === null;
  test("answers an overflow and a binding error; another model answers any failure", () => {
    expect(healed("compacted", "overflow")).toBe(true);
    expect(healed("renderer-changed", "binding")).toBe(true);
    expect(healed("history-damaged", "server")).toBe(false);
    expect(healed("model-changed", "server")).toBe(true);
  });

  test("declares the damage that was found so far", () => {
    const damaged = then(done, { type: "line-unreadable", line: 9, bytes: 3, why: "no" });
    expect(damaged.damage).toEqual({ lines: 1, declared: 0 });
    expect(then(damaged, epoch({ reason: "history-damaged" })).damage).toEqual({ lines: 1, declared: 1 });
  });
});

describe("files", () => {
  const read = then(calling, returned("a", { files: [{ path: "f", hash, how: "read" }] }));
  const change = (to: string | null): EntryBody => ({
    type: "file-changed",
    path: "f",
    hash: to === null ? null : hashOf(to),
  });

  test("are known as they were seen, and what was told of them stands until they are seen again or are as before", () => {
    expect(read.files).toEqual({ f: { hash, announced: null } });
    expect(then(read, change("y")).files.f?.announced).toBe(hashOf("y"));
    expect(then(read, change(null)).files.f?.announced).toBe("gone");
    expect(then(read, change("y"), change("x")).files.f?.announced).toBeNull();
    const again = then(read, change("y"), returned("b", { files: [{ path: "f", hash: hashOf("y"), how: "read" }] }));
    expect(again.files).toEqual({ f: { hash: hashOf("y"), announced: null } });
  });

  test("the ones touched last stand last", () => {
    const touch = (id: string, path: string) => returned(id, { files: [{ path, hash, how: "read" }] });
    expect(Object.keys(then(calling, touch("a", "f"), touch("b", "g")).files)).toEqual(["f", "g"]);
    const both = returned("b", { files: ["g", "f"].map((path) => ({ path, hash, how: "read" as const })) });
    expect(Object.keys(then(calling, touch("a", "f"), both).files)).toEqual(["g", "f"]);
  });
});

/** One entry of each type that has nothing to say to the state it meets. Total by type where there is such an entry. */
const idle: readonly (readonly [string, State, EntryBody])[] = [
  ["a project's first entry", opened, { type: "project-started", format: 1, project: brand("p") }],
  ["a fork of nothing", emptyState, { type: "session-forked", session: brand("t"), from: brand("s"), fromSeq: 1 }],
  ["the mode it has", opened, { type: "mode-chosen", mode: "default" }],
  [
    "what was observed before",
    then(opened, { type: "context-observed", key: "k", text: "v" }),
    { type: "context-observed", key: "k", text: "v" },
  ],
  ["a change of a file nobody saw", opened, { type: "file-changed", path: "f", hash }],
  ["a form of no call", opened, { type: "form-fixed", callId: brand("z"), handle: handleOf(hash), text: "t" }],
  ["a side request", opened, sent("r9", "side")],
  ["the failure of another request", asked, failed("r9")],
  ["a question about no call", opened, { type: "permission-asked", callId: brand("z"), why: "" }],
  ["an answer about no call", calling, allowed("z", false)],
  ["the start of no call", calling, { type: "tool-started", callId: brand("z"), tool: "look" }],
  ["the result of no call", calling, returned("z")],
  ["an interrupt without a turn", emptyState, interrupted],
  ["a second interrupt", then(opened, interrupted), interrupted],
  ["the unknown end of another request", asked, { type: "outcome-unknown", what: "request", request: brand("r9") }],
  ["the unknown end of no call", calling, { type: "outcome-unknown", what: "tool", callId: brand("z"), text: "?" }],
];
for (const [name, state, body] of idle)
  test(`${name} changes nothing: every part of the state is the same by reference`, () => {
    const next = then(state, body);
    const parts = (of: State) => ({ ...of, seq: 0, at: 0 });
    const [before, behind] = [Object.values(parts(state)), Object.values(parts(next))];
    for (const [index, part] of before.entries()) expect(behind[index]).toBe(part);
  });

test("an entry that changes one thing leaves the other parts as they are, by reference", () => {
  const next = then(calling, { type: "limit-learned", model: "m", inputTokensMax: 9, from: "x" });
  expect(next.limits).toEqual({ m: { named: 9, guess: null } });
  const { seq: _seq, at: _at, limits: _limits, ...rest } = next;
  for (const [key, part] of Object.entries(rest)) expect(Object.entries(calling)).toContainEqual([key, part]);
  expect(next.live).toBe(calling.live);
  expect(next.calls).toBe(calling.calls);
});

test.each(["cleared", "collapsed", "undone"] as const)(
  "%s goes on with the epoch's model, and the choice that was made since stands",
  (reason) => {
    const next = then(calling, { type: "model-chosen", model: { ...testModel, effort: "low" } }, epoch({ reason }));
    expect(next.epoch?.model).toEqual(testModel);
    expect(next.model).toEqual({ ...testModel, effort: "low" });
  },
);

test.each(["compacted", "collapsed"] as const)(
  "%s can be undone, but not where another model goes on, which cannot read the reasoning",
  (reason) => {
    expect(then(calling, epoch({ reason })).undoable).not.toBeNull();
    expect(then(calling, epoch({ reason, model: { ...testModel, model: "another" } })).undoable).toBeNull();
  },
);

test("every entry type is reduced from the empty state without a throw", () => {
  const all: { readonly [T in EntryType]: EntryBody } = {
    "session-started": started,
    "session-forked": { type: "session-forked", session: brand("t"), from: brand("s"), fromSeq: 1 },
    "project-started": { type: "project-started", format: 1, project: brand("p") },
    "model-chosen": chosen,
    "mode-chosen": { type: "mode-chosen", mode: "plan" },
    "verbosity-chosen": { type: "verbosity-chosen", verbosity: "low" },
    "log-redacted": { type: "log-redacted", seqs: [3], blobs: [] },
    "message-added": message("m"),
    "context-observed": { type: "context-observed", key: "k", text: "v" },
    "reminder-added": { type: "reminder-added", source: "s", text: "t" },
    "file-changed": { type: "file-changed", path: "f", hash: null },
    "fact-proposed": { type: "fact-proposed", fact: brand("f1"), text: "t", by: "user" },
    "fact-pinned": { type: "fact-pinned", fact: brand("f1"), text: "t", scope: "session" },
    "fact-refused": { type: "fact-refused", fact: brand("f1") },
    "fact-retired": { type: "fact-retired", fact: brand("f1") },
    "facts-shown": { type: "facts-shown", text: "t" },
    "text-attached": {
      type: "text-attached",
      attachment: { kind: "skill", name: "s", source: "s", hash: brand("0".repeat(64)), text: "t" },
    },
    "attachments-used": { type: "attachments-used", names: [{ kind: "skill", name: "s" }] },
    "lane-started": {
      type: "lane-started",
      lane: brand("lane-1"),
      kind: "fresh",
      title: "/review",
      task: "t",
      model: testModel,
    },
    "lane-finished": {
      type: "lane-finished",
      lane: brand("lane-1"),
      ending: "done",
      detail: "",
      text: "t",
      output: "o",
      handle: brand("abcdef"),
    },
    "tools-revealed": {
      type: "tools-revealed",
      callId: brand("c1"),
      tools: [{ name: "mcp__a__b", server: "a", tool: "b", declaration: "{}", definition: brand("h") }],
    },
    "server-measured": { type: "server-measured", server: "a", toolCount: 1, definitionTokens: 9, tools: [] },
    "tool-approved": { type: "tool-approved", server: "a", tool: "b", definition: brand("h"), by: "user" },
    "attachment-ended": { type: "attachment-ended", kind: "skill", name: "s", why: "finished" },
    "epoch-opened": epoch(),
    "compaction-asked": { type: "compaction-asked", scope: { kind: "all" }, focus: "" },
    "compaction-refused": { type: "compaction-refused", detail: "" },
    "summary-asked": {
      type: "summary-asked",
      request: brand("r2"),
      as: "ride",
      scope: { kind: "all" },
      why: "",
      text: "t",
    },
    "summary-ended": {
      type: "summary-ended",
      request: brand("r2"),
      outcome: "accepted",
      detail: "",
      text: "t",
      usage: null,
      retryAfterMs: null,
    },
    "summary-made": { type: "summary-made", request: brand("r3"), upto: "3.0", text: "t" },
    "form-fixed": { type: "form-fixed", callId: brand("c"), handle: handleOf(hash), text: "t" },
    "limit-learned": { type: "limit-learned", model: "m", inputTokensMax: 1, from: "f" },
    "model-described": { type: "model-described", model: "m", inputTokensMax: 1, outputTokensMax: null, from: "f" },
    "estimate-corrected": {
      type: "estimate-corrected",
      model: "m",
      estimate: { overheadTokens: 0, factors: { code: 1, json: 1, prose: 1, cjk: 1 }, covariance: [], errors: [] },
    },
    "request-sent": sent(),
    "response-received": response(["a"]),
    "request-failed": failed(),
    "todos-written": { type: "todos-written", todos: [] },
    "background-started": { type: "background-started", task: "t1", callId: brand("a"), command: "c" },
    "background-ended": {
      type: "background-ended",
      task: "t1",
      ending: "exited",
      exitCode: 0,
      output: "",
      handle: handleOf(hash),
    },
    "placeholder-started": {
      type: "placeholder-started",
      run: "p1",
      command: "/x",
      what: "ls",
      allowed: true,
      by: "mode",
      why: "",
    },
    "placeholder-ended": {
      type: "placeholder-ended",
      run: "p1",
      ending: "done",
      exitCode: 0,
      output: "",
      handle: handleOf(hash),
    },
    "hook-started": { type: "hook-started", run: "h1", event: "Stop", command: "c" },
    "hook-ended": {
      type: "hook-ended",
      run: "h1",
      event: "Stop",
      command: "c",
      outcome: "done",
      exitCode: 0,
      ms: 1,
      detail: "",
    },
    "input-rewritten": { type: "input-rewritten", callId: brand("a"), input: "{}", by: "h" },
    "permission-asked": { type: "permission-asked", callId: brand("a"), why: "" },
    "permission-decided": allowed("a"),
    "tool-started": { type: "tool-started", callId: brand("a"), tool: "look" },
    "tool-returned": returned("a"),
    "turn-ended": ended(),
    "turn-resumed": { type: "turn-resumed", after: "interrupted" },
    interrupted,
    "outcome-unknown": { type: "outcome-unknown", what: "request", request: brand("r1") },
    "line-unreadable": { type: "line-unreadable", line: 1, bytes: 1, why: "w" },
  };
  for (const body of Object.values(all)) expect(then(emptyState, body).seq).toBe(1);
  // And in any order, one on top of the other.
  expect(() => then(emptyState, ...Object.values(all), ...Object.values(all).toReversed())).not.toThrow();
});
