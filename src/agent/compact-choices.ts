import type { Piece } from "../log/block.ts";
import type { Entry, PieceEdit } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import type { State, Undoable } from "../log/state.ts";
import type { SummaryScope } from "../log/summary.ts";
import { blobsOf } from "../prompt/render.ts";
import type { FoldPreview } from "../reduction/fold-preview.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { compactionPreview } from "./compaction.ts";
import type { SessionEvent } from "./config.ts";
import type { Driver } from "./driver.ts";
import { headOf } from "./head.ts";
import { pieceSegments } from "./piece-segments.ts";
import { settled } from "./pointers.ts";
import { type Prompt, renderPrompt } from "./prompt.ts";
import { bindsReasoning, type EpochBody } from "./reasoning.ts";

export type Refused = { readonly type: "refused"; readonly why: string };
export type Compacted = {
  readonly type: "compacted";
  /** `fold`: as a list, for no summary was to be had or it would not pay. */
  readonly by: "model" | "fold";
  readonly tokensBefore: number;
  readonly tokensAfter: number;
};
export type Undone = { readonly type: "undone"; readonly tokens: number };

/** Compaction by the user's hand, between turns. */
export type CompactChoices = {
  compact(what?: { readonly scope?: SummaryScope; readonly focus?: string }): Promise<Compacted | Refused>;
  /** What it would take away, and what would stay; null: nothing to take away. */
  previewCompaction(scope?: SummaryScope): Promise<FoldPreview | null>;
  /** Brings back what the newest compaction or collapse took away, as it was. */
  undo(): Promise<Undone | Refused>;
};

const all: SummaryScope = { kind: "all" };

type Listen = (listener: (event: SessionEvent) => void) => () => void;

export function compactChoicesOf(
  driver: Driver,
  inTurn: <T>(take: () => Promise<T>) => Promise<T>,
  listen: Listen,
): CompactChoices {
  return {
    async compact({ scope = all, focus = "" } = {}) {
      const entries: Entry[] = [];
      const unhook = listen((event) => {
        if (event.type === "entry") entries.push(event.entry);
      });
      try {
        const before = await inTurn(async () => {
          const why = await whyNot(driver);
          if (why !== null) return refused(why);
          const prompt = driver.lane.prompt();
          await driver.post([{ type: "compaction-asked", scope, focus }]);
          return prompt;
        });
        if ("type" in before) return before;
        await driver.run();
        return outcomeOf(entries, before, driver);
      } finally {
        unhook();
      }
    },
    previewCompaction: (scope = all) =>
      inTurn(async () => {
        if ((await whyNot(driver)) !== null) return null;
        return compactionPreview(driver.lane.prompt(), driver.lane, scope);
      }),
    undo: () => inTurn(() => undo(driver)),
  };
}

async function whyNot({ active, lane }: Driver): Promise<string | null> {
  const state = lane.state();
  if (active() || state.turn !== null) return "a turn is open: wait for its end, or end it first";
  if ((await headOf(state, lane.texts)) === null) return "nothing was sent yet: there is nothing to compact";
  return null;
}

function outcomeOf(entries: readonly Entry[], before: Prompt, { lane }: Driver): Compacted | Refused {
  const isDone = entries.some((entry) => entry.type === "epoch-opened" && entry.reason === "compacted");
  if (!isDone) {
    const told = entries.findLast((entry) => entry.type === "compaction-refused");
    return refused(told?.detail ?? "it was stopped before anything was taken away");
  }
  const isSummed = entries.some((entry) => entry.type === "summary-ended" && entry.outcome === "accepted");
  return {
    type: "compacted",
    by: isSummed ? "model" : "fold",
    tokensBefore: before.forecast.promptTokens,
    tokensAfter: lane.prompt().forecast.promptTokens,
  };
}

async function undo(driver: Driver): Promise<Undone | Refused> {
  const { lane } = driver;
  const state = lane.state();
  if (driver.active() || state.turn !== null) return refused("a turn is open: wait for its end, or end it first");
  if (state.undoable === null) return refused("there is no compaction that can be undone");
  const plain = undoEntry(state, state.undoable);
  if (plain === null) return refused("there is no compaction that can be undone");
  const entries = await settled([plain], lane);
  const next = entries.reduce((to, entry) => reduce(to, { ...entry, seq: to.seq + 1, at: to.at }), state);
  await lane.texts.load(blobsOf(next));
  const head = await headOf(next, lane.texts);
  if (head === null) return refused("what stood in front of it is lost: the stored head cannot be read");
  const { forecast } = renderPrompt({ ...lane, state: () => next, head: () => head });
  const { promptTokens, marginTokens, usableTokens } = forecast;
  const tokens = promptTokens + marginTokens;
  if (tokens > usableTokens)
    return refused(`the prompt would be ${tokens} tokens again, and ${usableTokens} are usable`);
  await driver.post(entries);
  return { type: "undone", tokens: promptTokens };
}

/** Head and front as they were sent before the break; reasoning that came after it stood behind another text. */
function undoEntry({ epoch, live }: State, { head, reason, seq, live: before }: Undoable): EpochBody | null {
  const front = before.find((piece) => piece.role === "user" && piece.kind === "context")?.block;
  if (epoch === null || front?.type !== "text" || typeof front.text !== "string") return null;
  const known = new Set(before.map(({ id }) => id));
  const lost = bindsReasoning(epoch.model) ? live.filter((piece) => !known.has(piece.id) && isReasoning(piece)) : [];
  return {
    type: "epoch-opened",
    reason: "undone",
    detail: `${reason} in entry ${seq}`,
    head,
    model: epoch.model,
    userContext: front.text,
    edits: lost.map(({ id }): PieceEdit => ({ type: "dropped", from: id, to: id })),
    cost: { tokensRewritten: sum(before), reasoningTokensLost: sum(lost), usd: null },
  };
}

function sum(pieces: readonly Piece[]): number {
  return pieceSegments(pieces).reduce((tokens, segment) => tokens + tokensOf(segment), 0);
}

function isReasoning({ role, block }: Piece): boolean {
  return role === "assistant" && block.type === "reasoning";
}

function refused(why: string): Refused {
  return { type: "refused", why };
}
