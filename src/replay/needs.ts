import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

type Need = { readonly kind: "edit_line" | "path" | "ident"; readonly text: string };
type Input = Readonly<Record<string, unknown>>;

/** What a call's own input shows that its writer had read somewhere. `text`: the input's JSON, or a text that is none. */
export function needsOf(tool: string, text: string): readonly Need[] {
  const parsed = parseJson(text);
  const input: Input = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : { input: text };
  return [
    ...editedLines(tool.toLowerCase(), input, text).map((line) => ({ kind: "edit_line" as const, text: line })),
    ...pathsIn(input).map((path) => ({ kind: "path" as const, text: path })),
    ...namesIn(input).map((name) => ({ kind: "ident" as const, text: name })),
  ];
}

function editedLines(tool: string, input: Input, text: string): readonly string[] {
  const lines = oldTexts(tool, input, text)
    .flatMap((old) => old.split("\n"))
    .map((line) => line.trim());
  const long = [...new Set(lines)].filter((line) => line.length >= lineCharsMin);
  return long
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .slice(0, 3)
    .map((line) => line.slice(0, lineCharsMax));
}

const lineCharsMin = 24;
const lineCharsMax = 200;

/** What an edit replaces; of a patch the lines that must be there already. */
function oldTexts(tool: string, input: Input, text: string): readonly string[] {
  if (tool === "edit" || tool === "multiedit") {
    const edits: readonly unknown[] = Array.isArray(input.edits) ? input.edits : [];
    return [input, ...edits].filter(isRecord).map(({ old_string, oldText }) => firstText(old_string, oldText));
  }
  if (tool !== "apply_patch" && !text.slice(0, 400).toLowerCase().includes("begin patch")) return [];
  const patch = firstText(input.input, text);
  return patch
    .split("\n")
    .filter((line) => /^[ -]/.test(line) && !line.startsWith("---"))
    .map((line) => line.slice(1));
}

function pathsIn(input: Input): readonly string[] {
  const named = [input.file_path, input.path, input.notebook_path].filter((value) => typeof value === "string");
  const found = [...named.flatMap((value) => value.match(path)?.[0] ?? []), ...(commandOf(input).match(pathAll) ?? [])];
  const ends = found.map((whole) => whole.split("/").slice(-2).join("/"));
  return [...new Set(ends)].sort().slice(0, 3);
}

const path = /(?:[\p{L}\p{N}_@.-]+\/)+[\p{L}\p{N}_@.-]+\.[A-Za-z]{1,5}/u;
const pathAll = new RegExp(path, "gu");

function namesIn(input: Input): readonly string[] {
  const texts = [input.pattern, commandOf(input), input.new_string, input.newText];
  const names = texts.flatMap((text) => (typeof text === "string" ? (text.match(name) ?? []) : [])).filter(isMixed);
  return [...new Set(names)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, 4);
}

const name = /[A-Za-z_][A-Za-z0-9_]{9,60}/g;

/** A word of one's own making, not of a language. */
function isMixed(word: string): boolean {
  return /[^_]_+[^_]/.test(word) || /[a-z][A-Z]/.test(word);
}

function commandOf({ command, cmd }: Input): string {
  const value = isFilled(command) ? command : cmd;
  if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join(" ");
  return typeof value === "string" ? value : "";
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function firstText(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === "string").find((value) => value !== "") ?? "";
}
