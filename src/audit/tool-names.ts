import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

/** What kind of work a tool does, as far as its name tells: advice differs by it. */
export type ToolKind = "shell" | "read" | "search" | "web" | "agent" | "server" | "other";

export function toolKindOf(tool: string, server: string | null): ToolKind {
  if (server !== null) return "server";
  return kinds.find(([pattern]) => pattern.test(tool))?.[1] ?? "other";
}

const kinds: readonly (readonly [pattern: RegExp, kind: ToolKind])[] = [
  [/web|fetch|browser|url|http/i, "web"],
  [/grep|glob|search|find|list|^ls$/i, "search"],
  [/bash|shell|exec|command|terminal|powershell|^cmd$/i, "shell"],
  [/read|^view|^cat$|^open/i, "read"],
  [/^(task|agent|subagent|delegate|spawn)/i, "agent"],
];

/**
 * The MCP server a tool belongs to, by the ways in which programs write it: `mcp__server__tool`, `server__tool`,
 * `mcp_server_tool`, or a tool that is given the server's name. null: its own tool.
 */
export function serverOf(tool: string, input: string): string | null {
  const named = /^mcp__(.+?)__./.exec(tool) ?? /^mcp_([^_]+)_./.exec(tool) ?? /^([^_].*?[^_])__[^_]/.exec(tool);
  if (named?.[1] !== undefined) return named[1];
  if (!passesOn.test(tool)) return null;
  const server = fieldOf(input, ["server_name", "serverName", "server"]);
  return server ?? null;
}

const passesOn = /^(use|call|access)_?mcp|^mcp$/i;

/** A text under one of these names in a call's input; undefined where there is none or the input is no JSON object. */
export function fieldOf(input: string, names: readonly string[]): string | undefined {
  if (input.length > inputCharsMax) return undefined;
  const parsed = parseJson(input);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return undefined;
  for (const name of names) {
    const value = parsed.value[name];
    if (typeof value === "string" && value !== "") return value;
    // A command may come as a list of words, the last being the shell's own text.
    if (Array.isArray(value) && value.every((part) => typeof part === "string") && value.length > 0)
      return shellText(value);
  }
  return undefined;
}

/** A longer input writes something; what it reads is not worth the parsing. */
const inputCharsMax = 20_000;

function shellText(words: readonly string[]): string {
  const [, option] = words;
  return option !== undefined && /^-l?c$/.test(option) ? words.slice(2).join(" ") : words.join(" ");
}
