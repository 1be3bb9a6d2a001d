import type { LineName, LineOfDefence } from "../../src/audit/defence-line.ts";
import { pricedLines } from "../../src/audit/defence-money.ts";
import { type DefenceWork, defenceWork } from "../../src/audit/defence-work.ts";
import type { PriceRow } from "../../src/budget/price-row.ts";
import { costOf, priceOf } from "../../src/budget/prices.ts";
import { brand } from "../../src/kernel/ids.ts";
import { noUsage, type Usage } from "../../src/kernel/usage.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import { charsOfText, type Piece, type Text } from "../../src/log/block.ts";
import type { BreakReason, Entry, EntryBody, PieceEdit } from "../../src/log/entry.ts";
import type { ClearedByProvider } from "../../src/log/provider-clearing.ts";

/** USD per million tokens: read 1, new 12, output 50. */
export const prices: { readonly overrides: readonly PriceRow[] } = {
  overrides: [
    {
      id: "test-model",
      from: null,
      until: null,
      price: {
        type: "listed",
        tiers: [{ promptTokensFrom: 0, input: 10, read: 1, write5m: 12, write1h: 20, writeOther: 12, output: 50 }],
        peak: null,
        regional: null,
        batch: null,
      },
      source: "test",
      read: "",
      note: null,
    },
  ],
};

/** A character is a token, and calls are none. */
export function charsIn({ block }: Piece): number {
  if (block.type === "text" || block.type === "tool-result") return charsOfText(block.text);
  return block.type === "reasoning" ? charsOfText(block.text) : 0;
}

export const text = (chars: number, sign = "x"): string => sign.repeat(chars);

type Billing = {
  readonly usage?: Partial<Usage> | null;
  readonly row?: Partial<LedgerRow>;
  readonly cleared?: ClearedByProvider;
};

/** A small log written by hand, with what each of its requests was billed. Each entry's number is returned. */
export function handLog(model = "test-model") {
  const entries: Entry[] = [];
  const rows: LedgerRow[] = [];
  const choice = { wire: "anthropic", model, effort: null, thinking: "off", outputTokensMax: 1_000 } as const;
  const head = { tools: brand<"Hash">("t"), system: brand<"Hash">("s") };
  const add = (body: EntryBody): number => {
    entries.push({ seq: entries.length + 1, at: 0, ...body });
    return entries.length;
  };
  const sendAs = (purpose: "step" | "side", { usage = {}, row = {} }: Billing): string => {
    const request = `q${rows.length + 1}`;
    rows.push(rowOf(request, model, usage, { purpose, ...row }));
    const predicted = { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const sent = { segments: 0, chain: brand<"Hash">("c"), cacheKey: "", marks: [], predicted };
    add({ type: "request-sent", request: brand(request), purpose, attempt: 1, ...sent });
    return request;
  };
  const open = (reason: "start" | BreakReason, edits: readonly PieceEdit[] = [], reasoningTokensLost = 0): number =>
    add({
      type: "epoch-opened",
      reason,
      detail: "",
      head,
      model: choice,
      userContext: "",
      edits,
      cost: { tokensRewritten: 0, reasoningTokensLost, usd: null },
    });
  return {
    entries,
    rows,
    add,
    open,
    say: (words: string): number => add({ type: "message-added", text: words }),
    /** A request and its answer: calls by id and input, and something said. Its pieces are `<seq>.<index>`. */
    step: (
      calls: readonly { readonly id: string; readonly tool?: string; readonly input?: string }[],
      said: string,
      billing: Billing = {},
    ): number => {
      const request = sendAs("step", billing);
      const asked = calls.map(
        ({ id, tool = "look", input = "{}" }) =>
          ({ type: "tool-call", callId: brand<"CallId">(id), tool, input }) as const,
      );
      const blocks = [...(said === "" ? [] : [{ type: "text", text: said } as const]), ...asked];
      const cleared = billing.cleared === undefined ? {} : { cleared: billing.cleared };
      const rest = { stop: "end-turn", usage: null, firstTokenMs: null, report: null } as const;
      return add({
        type: "response-received",
        request: brand(request),
        wire: "anthropic",
        model,
        messageId: "",
        blocks,
        ...rest,
        ...cleared,
      });
    },
    failedStep: (): number => {
      const request = sendAs("step", { usage: null });
      const failure = { class: "server", status: 500, message: "", retryAfterMs: null } as const;
      const sizes = { promptTokens: null, limitTokens: null };
      return add({ type: "request-failed", request: brand(request), failure: { ...failure, ...sizes }, partial: "" });
    },
    summary: (outcome: "accepted" | "junk", usage: Partial<Usage>, cleared?: ClearedByProvider): number => {
      const id = brand<"RequestId">(`q${rows.length + 1}`);
      add({ type: "summary-asked", request: id, as: "ride", scope: { kind: "all" }, why: "", text: "sum up" });
      sendAs("side", { usage });
      const reported = { ...noUsage, ...usage };
      return add({
        type: "summary-ended",
        request: id,
        outcome,
        detail: "",
        text: "",
        usage: reported,
        retryAfterMs: null,
        ...(cleared === undefined ? {} : { cleared }),
      });
    },
    result: (id: string, output: string): number =>
      add({
        type: "tool-returned",
        callId: brand(id),
        tool: "look",
        ending: "done",
        output,
        handle: brand(`h${id}`),
        exitCode: null,
        files: [],
        images: [],
      }),
    form: (id: string, shown: string, full?: Text): number => {
      const pointers = full === undefined ? {} : { pointers: { full, points: [] } };
      return add({ type: "form-fixed", callId: brand(id), handle: brand(`h${id}`), text: shown, ...pointers });
    },
  };
}

export type HandLog = ReturnType<typeof handLog>;

export function workOf({ entries, rows }: HandLog, windowTokens = 1_000_000): DefenceWork {
  const answered = new Set(rows.flatMap(({ request, reported }) => (reported === "unknown" ? [] : [request])));
  return defenceWork(entries, {
    tokensOf: charsIn,
    read: (words) => (typeof words === "string" ? words : ""),
    isAnswered: (request) => answered.has(request),
    windowTokens,
  });
}

/** The line of that name, as priced. */
export function lineIn(log: HandLog, name: LineName, windowTokens?: number): LineOfDefence | undefined {
  return pricedLines(workOf(log, windowTokens), log.rows, prices).find(({ line }) => line === name);
}

/** As far as the prices go: with nothing said, all that is not read is written, and much of both. */
function rowOf(request: string, model: string, usage: Partial<Usage> | null, more: Partial<LedgerRow>): LedgerRow {
  const reported =
    usage === null ? ("unknown" as const) : { ...noUsage, cacheRead: 100_000, cacheWrite5m: 50_000, ...usage };
  const unknown = { type: "unknown", why: "" } as const;
  const cost = reported === "unknown" ? unknown : costOf(reported, priceOf(model, 0, 0, prices));
  return {
    request: brand(request),
    purpose: "step",
    step: 1,
    attempt: 1,
    at: 0,
    model,
    segments: 0,
    firstChange: null,
    breaks: [],
    marks: [],
    idleMs: null,
    lifetimeMs: null,
    predicted: { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ending: usage === null ? "failed" : "received",
    failure: null,
    reported,
    cost,
    saved: unknown,
    firstTokenMs: null,
    diagnosis: null,
    cleared: null,
    miss: "none",
    ...more,
  };
}

/** What a request misses because of a break, or for another reason. */
export function missed(cause: "break:cleared" | "break:compacted" | "expired"): Pick<LedgerRow, "miss"> {
  const mechanism = cause === "expired" ? "expired" : "messages-changed";
  return { miss: { cause, mechanism, tokens: 1, why: "", cost: { type: "unknown", why: "" }, delayMs: null } };
}
