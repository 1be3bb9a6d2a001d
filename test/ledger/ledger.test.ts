import { describe, expect, test } from "vitest";
import { brand, type Hash, mainLane } from "../../src/kernel/ids.ts";
import { noUsage } from "../../src/kernel/usage.ts";
import { emptyLedger, type LedgerContext, ledgerOf, readEntry } from "../../src/ledger/ledger.ts";
import type { Entry, EntryBody, EntryOf } from "../../src/log/entry.ts";
import { segs } from "./build.ts";

const prompts: Readonly<Record<string, string>> = {
  q1: "t1 s1 u1",
  q2: "t1 s1 u1 a1 r1",
  q3: "t1 s1 u9",
  q4: "t1 s1 u9",
};
const context: LedgerContext = {
  segmentsOf: (sent: EntryOf<"request-sent">) => segs(prompts[sent.request] ?? "u0"),
  lifetime: "5m",
  prices: {},
};

const epoch = (reason: EntryOf<"epoch-opened">["reason"]): EntryBody => ({
  type: "epoch-opened",
  reason,
  detail: "",
  head: { tools: brand<"Hash">("00"), system: brand<"Hash">("00") },
  model: { wire: "anthropic", model: "claude-opus-5-5", effort: null, thinking: "off", outputTokensMax: 8_000 },
  userContext: "",
  edits: [],
  cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
});
const sent = (request: string, attempt = 1): EntryBody => ({
  type: "request-sent",
  request: brand(request),
  purpose: "step",
  attempt,
  segments: segs(prompts[request] ?? "u0").length,
  chain: chainless,
  cacheKey: "k",
  marks: [segs(prompts[request] ?? "u0").length - 1],
  predicted: { promptTokens: 3_000, marginTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const chainless: Hash = brand("00");
const received = (request: string, read: number, write: number): EntryBody => ({
  type: "response-received",
  request: brand(request),
  wire: "anthropic",
  model: "claude-opus-5-5",
  messageId: "m",
  blocks: [],
  stop: "end-turn",
  usage: { ...noUsage, cacheRead: read, cacheWrite5m: write, output: 10 },
  firstTokenMs: 100,
  report: null,
});
const failed = (request: string): EntryBody => ({
  type: "request-failed",
  request: brand(request),
  failure: { class: "overloaded", status: 529, message: "", retryAfterMs: null, promptTokens: null, limitTokens: null },
  partial: "",
});
const log = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, at) => ({ seq: at + 1, at: at * 1_000, ...body }));

const session = log(
  { type: "session-started", format: 1, session: brand("s"), lane: mainLane, project: null, cwd: "/", version: "0" },
  epoch("start"),
  sent("q1"),
  received("q1", 0, 3_000),
  sent("q2"),
  received("q2", 3_000, 2_000),
  epoch("cleared"),
  sent("q3"),
  failed("q3"),
  sent("q4", 2),
  received("q4", 2_000, 1_000),
);

describe("the ledger is a projection of the log", () => {
  test("each attempt is one row, with its cause", () => {
    const rows = ledgerOf(session, context);
    expect(rows.map((row) => [row.request, row.step, row.attempt, row.ending])).toEqual([
      ["q1", 1, 1, "received"],
      ["q2", 2, 1, "received"],
      ["q3", 3, 1, "failed"],
      ["q4", 3, 2, "received"],
    ]);
    expect(rows.map((row) => (typeof row.miss === "string" ? row.miss : row.miss.cause))).toEqual([
      "cold-start",
      "none",
      "unknown",
      "break:cleared",
    ]);
  });
  test("entry by entry gives the same rows as the whole log", () => {
    let memo = emptyLedger;
    const rows = session.flatMap((entry) => {
      const step = readEntry(memo, entry, context);
      memo = step.memo;
      return step.row === null ? [] : [step.row];
    });
    expect(rows).toEqual(ledgerOf(session, context));
    expect(memo.open).toEqual([]);
  });
  test("entries that are no request leave the memo as it is", () => {
    const entry: Entry = { seq: 1, at: 0, type: "message-added", text: "hello" };
    expect(readEntry(emptyLedger, entry, context).memo).toBe(emptyLedger);
  });
  test("after a crash an open request becomes a row whose outcome is unknown", () => {
    const rows = ledgerOf(
      log(epoch("start"), sent("q1"), { type: "outcome-unknown", what: "request", request: brand("q1") }),
      context,
    );
    expect(rows).toMatchObject([{ ending: "unknown", reported: "unknown" }]);
  });
  test("a result whose intent was lost to damage is left out", () => {
    expect(ledgerOf(log(epoch("start"), received("q1", 0, 1)), context)).toEqual([]);
  });
  test("the memo holds no more than the live window, whatever the length of the log", () => {
    let memo = readEntry(emptyLedger, { seq: 1, at: 0, ...epoch("start") }, context).memo;
    for (let step = 0; step < 500; step++) {
      const at = step * 1_000;
      memo = readEntry(memo, { seq: step, at, ...sent("q2") }, context).memo;
      memo = readEntry(memo, { seq: step, at, ...received("q2", 5_000, 0) }, context).memo;
    }
    expect(memo.lane.entries.length).toBeLessThanOrEqual(64);
    expect(JSON.stringify(memo).length).toBeLessThan(5_000);
  });
});
