import type { Handle } from "../kernel/ids.ts";
import { callTitle } from "../log/call-title.ts";
import type { Segment } from "../prompt/segment.ts";
import { resultsIn } from "./call-results.ts";
import { outcomeOf } from "./clear-outcome.ts";
import type { Memo } from "./memo.ts";
import { useOf } from "./use.ts";
import type { Work } from "./use-work.ts";

/** A span's one line: what was done to what, and what of it failed in the end. Of results it quotes nothing. */
export function spanLine(work: readonly Segment[], handle: Handle, memo: Memo): string {
  const results = resultsIn(work);
  const calls = work.filter(({ kind }) => kind === "tool-call");
  const deeds = new Map<string, Map<string, string>>();
  for (const call of calls) {
    const { verb, subjects } = deedOf(call);
    const done = deeds.get(verb) ?? new Map<string, string>();
    // The newest outcome stands: what failed first may have been done in the end.
    for (const subject of subjects) done.set(subject, outcomeWords(results.get(call.callId), memo));
    deeds.set(verb, done);
  }
  const said = [...deeds].map(([verb, done]) => `${verb} ${listed([...done].map(([subject, out]) => subject + out))}`);
  const what = said.length === 0 ? "recalled texts" : said.join("; ");
  return `[Finished work, folded to a line: ${what}. ${wayBack(calls, handle, memo)}]`;
}

/** Of few calls each result by its own handle, which saves the way over the list. */
function wayBack(calls: readonly Segment[], handle: Handle, memo: Memo): string {
  const own = calls.map(({ callId = "" }) => memo.handleOf(callId)).filter((one) => one !== null);
  const direct =
    own.length <= ownHandlesMax && own.length > 0 ? `Results: ${own.map((one) => `handle=${one}`).join(", ")}; ` : "";
  const count = calls.length === 1 ? "the call" : `the ${calls.length} calls`;
  return `${direct}recall handle=${handle} lists ${count}, each with its outcome and its handle.`;
}

const ownHandlesMax = 3;

function deedOf(call: Segment): { readonly verb: string; readonly subjects: readonly string[] } {
  const { work, names } = useOf(call);
  const title = short(callTitle(call.text ?? ""));
  const verb = verbs[work] ?? `used ${call.tool ?? "a tool"} on`;
  const isOfFiles = work === "read" || work === "shell-read" || work === "edit";
  return { verb, subjects: isOfFiles && names.length > 0 ? names.map(short) : [title] };
}

/** null: the tool's own name says it. */
const verbs: Readonly<Record<Work, string | null>> = {
  read: "read",
  "shell-read": "read",
  search: "searched",
  command: "ran",
  edit: "changed",
  recall: "recalled",
  other: null,
  kept: null,
};

function outcomeWords(result: Segment | undefined, memo: Memo): string {
  if (result === undefined) return " (no result)";
  const { type, exitCode } = outcomeOf(result, memo);
  if (type === "done") return "";
  return exitCode === null || exitCode === 0 ? " (failed)" : ` (exit code ${exitCode})`;
}

function listed(items: readonly string[]): string {
  const more = items.length - itemsMax;
  return more > 0 ? `${items.slice(-itemsMax).join(", ")} and ${more} more` : items.join(", ");
}

/** Of each kind of work, the newest. */
const itemsMax = 8;

function short(text: string): string {
  const line = text
    .slice(0, subjectCharsMax + 1)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= subjectCharsMax ? line : `${line.slice(0, subjectCharsMax).toWellFormed()}…`;
}

const subjectCharsMax = 80;
