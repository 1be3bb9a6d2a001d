import { firstForm, limitBytes } from "../digest/first-form.ts";
import type { FirstForm } from "../digest/form.ts";
import { fitsBytes } from "../digest/text.ts";
import { isRecord } from "../kernel/canonical.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import { parseJson } from "../kernel/json.ts";

/** A result of somebody else's tool as the product's own tool for the same work would show it. `input` is the call's. */
export function shownFirst(text: string, tool: string, input: string): FirstForm {
  const ours = ourTool(tool, input);
  const form = ours === "Read" ? "range" : "output";
  // A result that enters whole says its exit code in its own words; what is cut may lose them.
  const exitCode = fitsBytes(text, limitBytes(form)) ? null : exitCodeIn(text);
  return firstForm({ tool: ours, text, exitCode, form, handle: handleOf(hashOf(text)) });
}

type OurTool = "Read" | "Grep" | "Bash" | "other";

/** By what the names say, whoever made the tool; what a server brings is output, whatever it calls itself. */
function ourTool(tool: string, input: string): OurTool {
  const words = wordsOf(tool);
  const has = (names: ReadonlySet<string>) => words.some((word) => names.has(word));
  if (words[0] === "mcp" || has(remote)) return "other";
  const command = commandIn(input);
  if (has(shells)) return isReading(command) ? "Read" : "Bash";
  if (has(readers) || (has(editors) && command === "view")) return "Read";
  return has(searchers) ? "Grep" : "other";
}

const remote: ReadonlySet<string> = new Set(["mcp", "web", "url", "browser", "http"]);
const shells: ReadonlySet<string> = new Set(["bash", "shell", "exec", "execute", "terminal", "command", "powershell"]);
const readers: ReadonlySet<string> = new Set(["read", "view", "cat", "open"]);
const editors: ReadonlySet<string> = new Set(["edit", "editor"]);
const searchers: ReadonlySet<string> = new Set(["grep", "search", "glob", "find", "ls", "list", "rg"]);

/** `readFile`, `read_file`, `Read-File`: read, file. */
function wordsOf(name: string): readonly string[] {
  const apart = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.split(/[^a-z]+/).filter((word) => word !== "");
}

function commandIn(input: string): string {
  const parsed = parseJson(input);
  if (parsed.type === "bad") return input;
  if (!isRecord(parsed.value)) return "";
  const command = parsed.value.command ?? parsed.value.cmd;
  // `["bash", "-lc", "sed -n 1,80p a.ts"]`: the text is the last.
  const text: unknown = Array.isArray(command) ? (command.length === 3 ? command[2] : command.join(" ")) : command;
  return typeof text === "string" ? text : "";
}

/** Where there is only a shell, files are read with it: then the model named the part it wants, as with Read. */
function isReading(command: string): boolean {
  const bare = command.replaceAll(/'[^']*'|"[^"]*"/g, "_").replaceAll(/2>(?:&1|\s*\/dev\/null)/g, "");
  if (/[<>`$]/.test(bare)) return false;
  const steps = bare.split(/&&|\|\||[|;\n&]/).map((step) => step.trim());
  const work = steps.filter((step) => step !== "" && !/^cd\s/.test(step));
  return work.length > 0 && work.every((step) => /^(?:cat|bat|nl|head|tail|sed\s+-n)(?:\s|$)/.test(step));
}

/** As shells' and harnesses' notes say it, in front of an output or behind it. */
function exitCodeIn(text: string): number | null {
  const ends = `${text.slice(0, endChars)}\n${text.slice(-endChars)}`;
  const said = /\bexit(?:ed with)?[ _]?(?:code|status)"?\s*[:=]?\s*(\d{1,3})\b/i.exec(ends)?.[1];
  return said === undefined ? null : Number(said);
}

const endChars = 400;
