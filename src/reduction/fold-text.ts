import { estimate } from "../budget/count.ts";
import { originalLines } from "../digest/notes.ts";
import type { Handle } from "../kernel/ids.ts";
import { callTitle } from "../log/call-title.ts";
import type { Segment } from "../prompt/segment.ts";
import { resultsIn } from "./call-results.ts";
import { type ReadBlock, readBlock } from "./fold-block.ts";
import { short } from "./fold-cut.ts";
import type { Memo } from "./memo.ts";
import { noWork } from "./summary-items.ts";

/** What a list of work says of one of its segments; of an older block also what that carries. */
export type Told = ReadBlock & { readonly segment: Segment };

/** One line per piece of finished work, oldest first. */
export function foldLines(work: readonly Segment[], memo: Memo): readonly string[] {
  return listLines(tellWork(work, memo));
}

/** With the summaries that older blocks carry. */
export function listLines(told: readonly Told[]): readonly string[] {
  return told.flatMap(({ summary, lines }) => (summary === null ? lines : [...summary.split("\n"), ...lines]));
}

/** In the order of the segments; what says nothing of itself is left out. */
export function tellWork(work: readonly Segment[], memo: Memo): readonly Told[] {
  const results = resultsIn(work);
  return work.flatMap((segment): readonly Told[] => {
    if (memo.kindOf(segment) === "fold") {
      const block = readBlock(segment.text ?? "");
      return [{ ...block, segment, lines: block.lines.filter((line) => line.trim() !== "") }];
    }
    const line = lineOf(segment, results.get(segment.callId), memo);
    return line === null ? [] : [{ segment, summary: null, lines: [line], work: noWork }];
  });
}

function lineOf(segment: Segment, result: Segment | undefined, memo: Memo): string | null {
  const text = segment.text ?? "";
  if (segment.kind === "tool-call") return callLine(segment, result, memo);
  if (segment.kind === "reasoning" || text.trim() === "") return null;
  if (segment.role === "assistant") return `Said: ${short(text, saidCharsMax)}`;
  return memo.kindOf(segment) === "message" ? `User: ${short(text, saidCharsMax)}` : null;
}

const saidCharsMax = 400;

/** As many of the newest lines as fit, and the way to the rest. */
export function shownLines(lines: readonly string[], handle: Handle, tokensMax: number): readonly string[] {
  const shown: string[] = [];
  let tokens = 0;
  for (const line of lines.toReversed()) {
    tokens += estimate(line) + 1;
    if (tokens > tokensMax && shown.length > 0) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  const note =
    left === 0 ? [] : [`[${left} older lines left out; recall handle=${handle} returns all ${lines.length}]`];
  return [...note, ...shown.toReversed()];
}

function callLine(call: Segment, result: Segment | undefined, memo: Memo): string {
  const handle = call.callId === undefined ? null : memo.handleOf(call.callId);
  const from = handle === null ? "" : ` [${handle}]`;
  return `${callStart(call)}${outcomeOf(result)}${from}`;
}

/** All of a call's line but its outcome: equal for calls that do the same. */
export function callStart(call: Segment): string {
  return `- ${call.tool ?? "tool"} ${short(callTitle(call.text ?? ""), titleCharsMax)}: `;
}

const titleCharsMax = 120;

function outcomeOf(result: Segment | undefined): string {
  if (result?.text == null) return "no result";
  const { lines, of } = originalLines(result.text.split("\n").filter((line) => line.trim() !== ""));
  const first = short(lines[0] ?? "(no output)", outcomeCharsMax);
  const count = of ?? lines.length;
  if (lines.length <= 1) return count <= 1 ? first : `${count} lines, ${first}`;
  return `${count} lines, first "${first}", last "${short(lines.at(-1) ?? "", outcomeCharsMax)}"`;
}

const outcomeCharsMax = 200;
