import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

const subjects = ["path", "file_path", "command", "pattern", "handle", "url", "query"] as const;

/** What a call is about, from its input's JSON: its path, command or the like; the input itself where it names none. */
export function callTitle(inputText: string): string {
  const parsed = parseJson(inputText);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return inputText;
  const input = parsed.value;
  const subject = subjects.map((field) => input[field]).find((value) => typeof value === "string");
  const range = typeof input.startLine === "number" ? ` from line ${input.startLine}` : "";
  return `${typeof subject === "string" ? subject : inputText}${range}`;
}
