import { isPageChange } from "../digest/page-change.ts";
import type { Segment } from "../prompt/segment.ts";
import type { Memo } from "./memo.ts";
import { wordsOf } from "./use-work.ts";

/** How a result went, as its text says it; where whoever sent it says that it failed, that counts. */
export type Outcome = {
  readonly type: "failed" | "done";
  readonly exitCode: number | null;
  /** A picture of a page's elements, which the next one takes the place of, or what has changed in it; null: neither. */
  readonly picture: "whole" | "change" | null;
};

export function outcomeOf(result: Segment, memo: Memo): Outcome {
  const said = saidBy(result);
  return memo.isFailed?.(result) === true ? { ...said, type: "failed" } : said;
}

/** By content, since the same is asked before every request. */
function saidBy(result: Segment): Outcome {
  // Equal texts of two tools may share a hash.
  const key = `${result.tool ?? ""} ${result.hash}`;
  const known = outcomes.get(key);
  if (known !== undefined) return known;
  const text = result.text ?? "";
  const exitCode = exitCodeIn(text);
  const failed = exitCode === null ? failedStart.test(text.slice(0, 100)) : exitCode !== 0;
  const outcome: Outcome = {
    type: failed ? "failed" : "done",
    exitCode,
    picture: isPageChange(text) ? "change" : isSnapshot(result.tool ?? "", text) ? "whole" : null,
  };
  if (outcomes.size >= outcomesMax) outcomes.clear();
  outcomes.set(key, outcome);
  return outcome;
}

/** Emptied whole when full, since refilling is cheap. */
const outcomesMax = 20_000;
const outcomes = new Map<string, Outcome>();

/** As shells' and harnesses' notes say it, in front of an output or behind it. */
export function exitCodeIn(text: string): number | null {
  const ends = text.length <= 2 * endChars ? text : `${text.slice(0, endChars)}\n${text.slice(-endChars)}`;
  const said = /\bexit(?:ed with)?[ _]?(?:code|status)"?\s*[:=]?\s*(\d{1,3})\b/i.exec(ends)?.[1];
  return said === undefined ? null : Number(said);
}

const endChars = 400;

/** How harnesses begin the result of a call that was refused or broke. */
const failedStart = /^\s*(?:<tool_use_error>|Error\b|error:|Traceback \(most recent call last\))/;

function isSnapshot(tool: string, text: string): boolean {
  if (wordsOf(tool).includes("snapshot")) return true;
  return (text.slice(0, snapshotCharsMax).match(/\[ref=\w+\]|\buid=\d+_\d+/g)?.length ?? 0) >= snapshotRefsMin;
}

const snapshotCharsMax = 4_000;
const snapshotRefsMin = 3;
