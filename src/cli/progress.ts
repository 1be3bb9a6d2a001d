import { stripVTControlCharacters } from "node:util";
import type { SessionEvent } from "../agent/config.ts";
import type { Text } from "../log/block.ts";
import { callTitle } from "../log/call-title.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import type { State } from "../log/state.ts";

/** What a person sees on stderr while a headless turn runs: one line per thing that happened. */
export function progressLine(event: SessionEvent): string | null {
  if (event.type === "waiting") return `waiting until ${timeOf(event.untilMs)}: ${short(event.why)}`;
  return event.type === "entry" ? lineOf(event.entry) : null;
}

function lineOf(entry: Entry): string | null {
  switch (entry.type) {
    case "response-received":
      // An answer that asks for nothing is the result, and goes to stdout: in a terminal it would stand there twice.
      if (!entry.blocks.some(({ type }) => type === "tool-call")) return null;
      return entry.blocks
        .flatMap((block) => {
          if (block.type === "tool-call") return [`> ${block.tool} ${short(titled(block.input))}`];
          return block.type === "text" && short(block.text) !== "" ? [short(block.text)] : [];
        })
        .join("\n");
    case "tool-returned":
      return entry.ending === "done" ? null : `  ${entry.tool} ${entry.ending}${exitOf(entry)}: ${short(entry.output)}`;
    case "hook-ended":
      return hookLine(entry);
    case "form-fixed":
      return entry.again === undefined ? null : `  ${againLine(entry.again, entry.handle)}`;
    case "request-failed":
      return `  ${entry.failure.class}: ${short(entry.failure.message)}`;
    case "epoch-opened":
      return entry.reason === "start" ? null : `  new epoch, ${entry.reason}: ${entry.detail}`;
    default:
      return null;
  }
}

/** A hook's words for the user, and what went wrong with it; one that did what it was for is no news. */
function hookLine({ event, command, outcome, detail, message }: EntryOf<"hook-ended">): string | null {
  const said = message === undefined || message === "" ? [] : [`  hook at ${event}: ${short(message)}`];
  // A notice that somebody is asked ends when that is answered, or at once where nobody is there.
  const isNoNews = outcome === "done" || (event === "Notification" && outcome === "interrupted");
  const ended = isNoNews ? [] : [`  hook at ${event} ${outcome} (${short(command)}): ${short(detail)}`];
  const lines = [...said, ...ended];
  return lines.length === 0 ? null : lines.join("\n");
}

/** CASES C-015: the model asks again and again for what does not stay. */
function againLine({ what, times }: NonNullable<EntryOf<"form-fixed">["again"]>, handle: string): string {
  return (
    `${short(what)}: the same output as before, shown ${times} times and cut or taken away each time to make room; ` +
    `the model gets a note instead (varve recall ${handle})`
  );
}

/** Calls that ran when the session ended. It is opened before anybody can listen, so a person would not hear of them otherwise. */
export function unknownLines(calls: State["calls"]): readonly string[] {
  return calls
    .filter(({ status }) => status.type === "started")
    .map(({ tool, input }) => {
      const call = `${tool} ${short(titled(input))}`;
      return `the session ended while this ran; its outcome is unknown, and it is not run again: ${call}`;
    });
}

/** A person reads what a call is about; the whole input stands in the log. */
function titled(input: Text): Text {
  return typeof input === "string" ? callTitle(input) : input;
}

/** A long output is named by its size alone, so its exit code is said beside it. */
function exitOf({ exitCode }: EntryOf<"tool-returned">): string {
  return exitCode === null ? "" : ` (exit ${exitCode})`;
}

/** The time of day, as the clock on the wall has it. */
function timeOf(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

const charsMax = 160;

function short(text: string | { readonly chars: number }): string {
  if (typeof text !== "string") return `(${text.chars.toLocaleString("en-US")} characters)`;
  const line = stripVTControlCharacters(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > charsMax ? `${line.slice(0, charsMax).toWellFormed()}…` : line;
}
