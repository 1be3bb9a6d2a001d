import { estimate } from "../budget/count.ts";
import { failureLines } from "../digest/failures.ts";
import { indexLines } from "../digest/line-index.ts";
import { beginning } from "../digest/text.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import { type JsonNode, JsonSpanError, rawText, scanJson, stringAt } from "../kernel/json-spans.ts";
import { reminderText } from "../prompt/context.ts";
import type { Segment } from "../prompt/segment.ts";
import { clearLimits } from "./clear-table.ts";
import { useOf } from "./use.ts";

/** What stands in place of a segment's text from a break on; the original is under `handle`. */
export type Form = { readonly text: string; readonly handle: Handle; readonly tokens: number };

/** In place of a result: fixed words, so that it says nothing of its own. */
export function resultForm(handle: Handle): Form {
  return { text: resultText(handle), handle, tokens: resultTokens };
}

function resultText(handle: Handle): string {
  return `[Result left out; recall handle=${handle} returns all of it.]`;
}

/** Of one for all: they are made for every result before every request. */
const resultTokens = estimate(resultText(handleOf(hashOf(""))));

/** In place of a text from outside that is no longer in force. */
export function overForm(handle: Handle): Form {
  return { text: overText(handle), handle, tokens: overTokens };
}

function overText(handle: Handle): string {
  return reminderText(`A text that is no longer in force was left out; recall handle=${handle} returns it.`);
}

const overTokens = estimate(overText(handleOf(hashOf(""))));

/** In place of a failure that the same thing has overcome: agents repeat mistakes they cannot see (M-01). */
export function failureForm(result: string, exitCode: number | null, handle: Handle): Form {
  const lines = indexLines(result);
  const shown = failureLines(result, lines)
    .slice(0, failureLinesMax)
    .toSorted((a, b) => a - b);
  const text = [
    `[Result of a try that failed left out; recall handle=${handle} returns all of it.]`,
    ...(exitCode === null ? [] : [`[exit code ${exitCode}]`]),
    ...shown.map((at) => beginning(lines.at(at), failureLineCharsMax)),
  ].join("\n");
  return { text, handle, tokens: estimate(text) };
}

const failureLinesMax = 5;
const failureLineCharsMax = 200;

/**
 * A call's input with its long strings left out, still a valid input of its schema: nothing else of its bytes changes. null:
 * there is none. A text that is no JSON is one string.
 */
export function inputForm(call: Segment): Form | null {
  const key = `${call.tool ?? ""} ${call.hash}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const form = newInputForm(call.text ?? "", useOf(call).work === "command" ? commandStart : patchedFiles);
  if (memo.size >= memoMax) memo.clear();
  memo.set(key, form);
  return form;
}

/** Emptied whole when full, since refilling is cheap. */
const memoMax = 20_000;
const memo = new Map<string, Form | null>();

/** What stays of a long string, line by line. */
type Kept = (value: string) => readonly string[];

/** What was run, where it is a script. */
function commandStart(value: string): readonly string[] {
  const [line = ""] = value.split("\n", 1);
  return [beginning(line, startCharsMax)];
}

const startCharsMax = 100;

/** Of a patch: which files it is for. */
function patchedFiles(value: string): readonly string[] {
  return value.match(/^\*\*\* (?:Add|Update|Delete) File: .{1,400}$/gm)?.slice(0, filesMax) ?? [];
}

const filesMax = 10;

function newInputForm(input: string, kept: Kept): Form | null {
  if (input.length <= clearLimits.inputCharsMax) return null;
  const handle = handleOf(hashOf(input));
  const short = (value: string) => [...kept(value), `[${value.length} characters; recall handle=${handle}]`].join("\n");
  const text = shortJson(input, short) ?? short(input);
  const tokens = estimate(text);
  return tokens < estimate(input) ? { text, handle, tokens } : null;
}

/** null: no JSON object or list. */
function shortJson(input: string, short: (value: string) => string): string | null {
  const bytes = new TextEncoder().encode(input);
  const root = scanned(bytes);
  if (root?.type !== "object" && root?.type !== "array") return null;
  const parts: string[] = [];
  let from = 0;
  for (const { span } of longStrings(root)) {
    const value = stringAt(bytes, span);
    if (value.length <= clearLimits.inputCharsMax) continue;
    parts.push(rawText(bytes, [from, span[0]]), JSON.stringify(short(value)));
    from = span[1];
  }
  return parts.join("") + rawText(bytes, [from, bytes.length]);
}

function scanned(bytes: Uint8Array): JsonNode | null {
  try {
    return scanJson(bytes);
  } catch (error) {
    if (error instanceof JsonSpanError) return null;
    throw error;
  }
}

/** In the order in which they stand. */
function* longStrings(node: JsonNode): Iterable<JsonNode> {
  if (node.type === "object") for (const { value } of node.members) yield* longStrings(value);
  else if (node.type === "array") for (const item of node.items) yield* longStrings(item);
  else if (node.type === "string" && node.span[1] - node.span[0] > clearLimits.inputCharsMax) yield node;
}
