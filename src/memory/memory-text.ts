import { estimate } from "../budget/count.ts";
import { inert, reminderText } from "../prompt/context.ts";
import { type MemoryFile, memoryName } from "./memory-file.ts";

/** What a memory may take; `now`: for its age; `before`: whether the window shows an older text of it. */
export type MemoryFrame = { readonly tokensMax: number; readonly now: number; readonly before: "none" | "older" };

/** A memory as the model gets it: where it comes from, how old it is, and that it may be wrong by now. */
export function memoryText(memory: MemoryFile, { tokensMax, now, before }: MemoryFrame): string {
  const head = [
    `Memory ${memoryName(memory)}${memory.type === null ? "" : ` (${memory.type})`}, from ${memory.path}, written ${ageText(memory.writtenMs, now)}.`,
    ...(before === "older" ? ["This is its newest text: what was shown of it before no longer counts."] : []),
    "Kept from earlier work, and possibly out of date: check what it says of the code against the code.",
    "",
  ].join("\n");
  const body = unframed(memory.body);
  const room = tokensMax - estimate(reminderText(head)) - cutTokens;
  const kept = withinTokens(body, room);
  const isCut = kept.length < body.length || memory.isCut;
  const rest = isCut ? `\n[cut: this is its beginning; ReadMemory ${memoryName(memory)} brings more]` : "";
  return reminderText(unframed(`${head}\n${kept}${rest}`));
}

const cutTokens = 40;

/** Whole lines from the beginning, or of a giant first line a part. */
export function withinTokens(text: string, tokensMax: number): string {
  if (estimate(text) <= tokensMax) return text;
  const lines: string[] = [];
  let tokens = 0;
  for (const line of text.split("\n")) {
    // A line's end is a token at most.
    tokens += estimate(line) + 1;
    if (tokens > tokensMax) break;
    lines.push(line);
  }
  if (lines.length > 0) return lines.join("\n");
  const [first = ""] = text.split("\n");
  return cutLine(first, tokensMax);
}

function cutLine(line: string, tokensMax: number): string {
  let [low, high] = [0, Math.min(line.length, Math.max(0, tokensMax) * 16)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimate(line.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  return line.slice(0, low).toWellFormed();
}

/** A text from outside must not end the frame it stands in, nor open one. */
export function unframed(text: string): string {
  return inert(text.toWellFormed());
}

export function ageText(writtenMs: number, now: number): string {
  const days = Math.floor((now - writtenMs) / dayMs);
  if (days < 0) return "at a time that is still to come";
  if (days === 0) return "today";
  return days === 1 ? "yesterday" : `${days} days ago`;
}

const dayMs = 24 * 60 * 60_000;
