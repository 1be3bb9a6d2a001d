import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Segment } from "../prompt/segment.ts";
import { namesIn } from "./use-names.ts";
import { type Work, workOf } from "./use-work.ts";

/** What a call shows of its purpose: the kind of its work, the files it names, and what makes another one the same. */
export type Use = {
  readonly work: Work;
  readonly names: readonly string[];
  /** Equal for calls that try the same thing: the command without what surrounds it, or the tool and its subject. */
  readonly attempt: string;
};

/** Of a call's segment; by content, since the same is asked before every request. */
export function useOf(call: Segment): Use {
  // Equal texts of two tools may share a hash.
  const key = `${call.tool ?? ""} ${call.hash}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const use = newUse(call.tool ?? "", call.text ?? "");
  if (memo.size >= memoMax) memo.clear();
  memo.set(key, use);
  return use;
}

/** Emptied whole when full, since refilling is cheap. */
const memoMax = 20_000;
const memo = new Map<string, Use>();

function newUse(tool: string, text: string): Use {
  const parsed = parseJson(text);
  const input = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : null;
  const command = input === null ? text : commandIn(input);
  const work = workOf(tool, command);
  const names = namesIn(input ?? text);
  const subject = command === "" ? (names[0] ?? text.slice(0, subjectCharsMax)) : bareCommand(command);
  return { work, names, attempt: `${tool}\n${subject}` };
}

const subjectCharsMax = 500;

/** The text of a shell's command, or what an editor is told to do; empty where a call has none. */
export function commandIn(input: Readonly<Record<string, unknown>>): string {
  const command = input.command ?? input.cmd;
  if (!Array.isArray(command)) return typeof command === "string" ? command : "";
  // What else a list may hold is no word, and may not even be made one.
  const words = command.filter((word) => typeof word === "string");
  // `["bash", "-lc", "sed -n 1,80p a.ts"]`: the text is the last.
  return words.length === 3 ? (words[2] ?? "") : words.join(" ");
}

/** Without the folder it ran in and what its output went through: those change from one try to the next. */
function bareCommand(command: string): string {
  return command
    .slice(0, subjectCharsMax)
    .replace(/^(?:\s*cd\s[^&;\n]{0,300}(?:&&|;))+/, "")
    .replace(/\s*(?:2>&1\s*)?\|\s*(?:tail|head|grep|tee|less|cat)\b[\s\S]*$/, "")
    .replace(/\s*2>&1\s*$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
