import { estimate } from "../budget/count.ts";
import type { Handle } from "../kernel/ids.ts";
import { callTitle } from "../log/call-title.ts";
import type { Segment } from "../prompt/segment.ts";
import type { Memo } from "./memo.ts";

const messageCharsMax = 2_000;
const saidCharsMax = 400;
const titleCharsMax = 120;
const outcomeCharsMax = 200;

/** One line (or a short run of lines) per piece of finished work, oldest first. */
export function foldLines(work: readonly Segment[], memo: Memo): readonly string[] {
  const results = new Map(
    work.flatMap((segment) => (segment.kind === "tool-result" ? [[segment.callId, segment]] : [])),
  );
  return work.flatMap((segment): readonly string[] => {
    const kind = memo.kindOf(segment);
    const text = segment.text ?? "";
    if (kind === "fold") return innerLines(text);
    if (kind === "message") return [`User: ${short(text, messageCharsMax)}`];
    if (segment.kind === "tool-call") return [callLine(segment, results.get(segment.callId), memo)];
    if (segment.role === "assistant" && text.trim() !== "") return [`Said: ${short(oneLine(text), saidCharsMax)}`];
    return [];
  });
}

/** The block as the model gets it: as many of the newest lines as fit, and the way to the rest. */
export function shownLines(lines: readonly string[], handle: Handle, tokensMax: number): string {
  const shown: string[] = [];
  let tokens = estimate(opening) + 40;
  for (const line of lines.map(withoutFrame).toReversed()) {
    tokens += estimate(line) + 1;
    if (tokens > tokensMax && shown.length > 0) break;
    shown.unshift(line);
  }
  const left = lines.length - shown.length;
  const note =
    left === 0 ? [] : [`[${left} older lines left out; recall handle=${handle} returns all ${lines.length}]`];
  return [openTag, opening, ...note, ...shown, closeTag].join("\n");
}

const openTag = "<folded-history>";
const closeTag = "</folded-history>";
const opening =
  "Work done so far in this session, oldest first, folded to one line each. Nothing is lost: recall with the handle in " +
  "brackets returns an original. Go on from here; do not start over.";

/** An older fold's lines go on into the new one, without its frame and the results it quoted behind it. */
function innerLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const end = lines.indexOf(closeTag);
  return lines.slice(0, end === -1 ? lines.length : end).filter((line) => line !== openTag && line !== opening);
}

/** A line that quotes the frame must not end it. */
function withoutFrame(line: string): string {
  return line.replaceAll(closeTag, "</ folded-history>");
}

function callLine(call: Segment, result: Segment | undefined, memo: Memo): string {
  const handle = call.callId === undefined ? null : memo.handleOf(call.callId);
  const from = handle === null ? "" : ` [${handle}]`;
  return `- ${call.tool ?? "tool"} ${short(oneLine(callTitle(call.text ?? "")), titleCharsMax)}: ${outcomeOf(result)}${from}`;
}

function outcomeOf(result: Segment | undefined): string {
  if (result?.text == null) return "no result";
  const lines = result.text.split("\n").filter((line) => line.trim() !== "");
  const first = short(lines[0] ?? "(no output)", outcomeCharsMax);
  if (lines.length <= 1) return first;
  const last = short(lines.at(-1) ?? "", outcomeCharsMax);
  return `${lines.length} lines, first "${first}", last "${last}"`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function short(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax).toWellFormed()}… (${text.length - charsMax} more characters)`;
}
