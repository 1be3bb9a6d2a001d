import type { Entry } from "../log/entry.ts";
import type { SummaryScope } from "../log/summary.ts";
import type { SessionEvent } from "./config.ts";
import type { Driver } from "./driver.ts";
import { headOf } from "./head.ts";
import type { Prompt } from "./prompt.ts";
import { type Refused, refused } from "./refused.ts";
import { type CompactionPreview, compactionForecast } from "./summary-forecast.ts";
import { type Undone, undo } from "./undo.ts";

export type Compacted = {
  readonly type: "compacted";
  /** `provider`: by its own means. `fold`: as a list, for no summary was to be had or it would not pay. */
  readonly by: "model" | "provider" | "fold";
  readonly tokensBefore: number;
  readonly tokensAfter: number;
};

/** Compaction by the user's hand, between turns. */
export type CompactChoices = {
  compact(what?: { readonly scope?: SummaryScope; readonly focus?: string }): Promise<Compacted | Refused>;
  /**
   * What it would take away, what would stay, and what the summary would cost; null: nothing to take away, or the prompt would be
   * no smaller without it.
   */
  previewCompaction(scope?: SummaryScope): Promise<CompactionPreview | null>;
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
          if (scope.kind !== "all" && !prompt.doc.pieces.some(({ id }) => id === scope.piece))
            return refused(`nothing of the prompt is named ${scope.piece}`);
          // Before a summary is paid for.
          const forecast = await compactionForecast(prompt, driver.lane, scope);
          if (forecast !== null && "type" in forecast) return forecast;
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
        const forecast = await compactionForecast(driver.lane.prompt(), driver.lane, scope);
        return forecast === null || "type" in forecast ? null : forecast;
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
  const done = entries.findLast((entry) => entry.type === "epoch-opened" && entry.reason === "compacted");
  if (done?.type !== "epoch-opened") {
    const told = entries.findLast((entry) => entry.type === "compaction-refused");
    return refused(told?.detail ?? "it was stopped before anything was taken away");
  }
  const isSummed = entries.some((entry) => entry.type === "summary-ended" && entry.outcome === "accepted");
  return {
    type: "compacted",
    by: done.summary !== undefined ? "provider" : isSummed ? "model" : "fold",
    tokensBefore: before.forecast.promptTokens,
    tokensAfter: lane.prompt().forecast.promptTokens,
  };
}
