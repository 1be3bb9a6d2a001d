/**
 * Kinds of work, by which results grow old (`clear-table.ts`). `kept`: what is never cleared (M-01): skills, plans, todo
 * lists, questions to the user; and searches for tools, whose results declare what they found.
 */
export type Work = "read" | "shell-read" | "search" | "command" | "edit" | "recall" | "other" | "kept";

/** By what the names say, whoever made the tool; what a server brings is `other`, whatever it calls itself. */
export function workOf(tool: string, command: string): Work {
  const words = wordsOf(tool);
  const has = (names: ReadonlySet<string>) => words.some((word) => names.has(word));
  if (words[0] === "mcp" || has(remote)) return "other";
  if (words.length === 1 && words[0] === "recall") return "recall";
  if (has(kept) || words.join(" ") === "tool search") return "kept";
  if (has(shells)) return shellWork(command);
  if (has(readers) || (has(editorTools) && command === "view")) return "read";
  if (has(editors) || has(editorTools)) return "edit";
  return has(searchers) ? "search" : "other";
}

export function isShell(tool: string): boolean {
  return wordsOf(tool).some((word) => shells.has(word));
}

/** Where there is only a shell, files are read with it: then the model named the part it wants, as with a tool for it. */
function isReading(command: string): boolean {
  const bare = command.replaceAll(/'[^']*'|"[^"]*"/g, "_").replaceAll(/2>(?:&1|\s*\/dev\/null)/g, "");
  if (/[<>`$]/.test(bare)) return false;
  const steps = bare.split(/&&|\|\||[|;\n&]/).map((step) => step.trim());
  const work = steps.filter((step) => step !== "" && !/^cd\s/.test(step));
  return work.length > 0 && work.every((step) => reading.test(step));
}

/** `readFile`, `read_file`, `Read-File`: read, file. */
export function wordsOf(name: string): readonly string[] {
  const apart = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.split(/[^a-z]+/).filter((word) => word !== "");
}

function shellWork(command: string): Work {
  const start = command.slice(0, commandCharsMax);
  if (/\bapply_patch\b/.test(start)) return "edit";
  if (isReading(start)) return "shell-read";
  const bare = start.replaceAll(/'[^']*'|"[^"]*"/g, "_");
  const steps = bare.split(/&&|\|\||[;\n]/).map((step) => step.trim());
  const work = steps.filter((step) => step !== "" && !aside.test(step));
  return work.length > 0 && work.every((step) => reading.test(step) || searching.test(step)) ? "search" : "command";
}

/** What a command does is said at its beginning; the rest of a long one is data. */
const commandCharsMax = 2_000;

const reading = /^(?:cat|bat|nl|head|tail|sed\s+-n)(?:\s|$)/;
const searching = /^(?:rg|grep|egrep|fgrep|ag|fd|find|ls|tree|wc|which|git\s+(?:grep|ls-files))(?:\s|$)/;
const aside = /^(?:cd|pwd|echo|true)(?:\s|$)/;

const remote: ReadonlySet<string> = new Set(["mcp", "web", "url", "browser", "http"]);
const kept: ReadonlySet<string> = new Set(["skill", "skills", "plan", "todo", "todos", "ask", "question"]);
const shells: ReadonlySet<string> = new Set([
  "bash",
  "shell",
  "exec",
  "execute",
  "terminal",
  "command",
  "powershell",
  "stdin",
]);
const readers: ReadonlySet<string> = new Set(["read", "view", "cat", "open"]);
const editorTools: ReadonlySet<string> = new Set(["edit", "editor"]);
const editors: ReadonlySet<string> = new Set(["write", "patch", "replace", "create", "insert", "multiedit"]);
const searchers: ReadonlySet<string> = new Set(["grep", "search", "glob", "find", "ls", "list", "rg"]);
