import { fieldOf, type ToolKind } from "./tool-names.ts";

/** The file a call reads, where its name and input say so; null: it does something else, or reads several. */
export function fileReadBy(tool: string, kind: ToolKind, input: string): string | null {
  if (kind === "shell") return fileShownBy(fieldOf(input, ["command", "cmd", "script"]) ?? "");
  const isEditor = /edit/i.test(tool) && fieldOf(input, ["command"]) === "view";
  if (kind !== "read" && !isEditor) return null;
  return fieldOf(input, pathNames) ?? null;
}

const pathNames = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename", "file"];

/** Of a simple command that prints one file or a part of it, with a change of folder before it. */
function fileShownBy(command: string): string | null {
  const simple = command.trim().replace(/^cd\s+[^\s;&|]+\s*&&\s*/, "");
  if (simple.length > commandCharsMax || /[\n;&<>`$]/.test(simple)) return null;
  const [shown = "", ...filters] = simple.split("|").map((part) => part.trim());
  if (!filters.every((part) => /^(sed -n|head|tail)\s/.test(part))) return null;
  const [program, ...rest] = shown.split(/\s+/);
  if (program === undefined || !shows.has(program)) return null;
  const words = rest.filter((word) => !word.startsWith("-") && !/^['"]?[\d$,+]+p?['"]?$/.test(word));
  return words.length === 1 ? (words[0]?.replace(/^['"]|['"]$/g, "") ?? null) : null;
}

const commandCharsMax = 300;

const shows: ReadonlySet<string> = new Set(["cat", "head", "tail", "sed", "nl", "less", "more", "bat", "type"]);
