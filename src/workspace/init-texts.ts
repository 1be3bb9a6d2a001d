import { bounds } from "../kernel/bounds.ts";
import { budgetFileName, defaultCaps } from "./context-budget.ts";
import type { Wanted } from "./json-members.ts";
import type { Section } from "./marked-section.ts";

/** The four habits that keep a window small (M-93), for any agent that reads the file they stand in. */
export const conventions: Section = {
  name: "conventions",
  body: [
    "## Keeping the context small",
    "",
    "- Always ask for ranges: search for the place first, then read the lines you need, not the whole file.",
    "- Text before screenshots: read a page or a screen as text; take a picture only where looks are the question.",
    "- A result that only confirms (written, passed, created) is done with at once: say so in a word and do not quote it.",
    `- Above ${thousands(bounds.outputTokensMax)} tokens extract the fields first (\`grep\`, \`jq\`, a query with fewer columns), then read those.`,
    "",
    `The caps are in \`${budgetFileName}\`.`,
  ].join("\n"),
};

/** In front of the section in a rule for Cursor: it holds whatever is worked on. */
export const cursorFields = "---\ndescription: Habits that keep the context small\nglobs:\nalwaysApply: true\n---\n\n";

export const budgetText = [
  "# Context budget",
  "",
  "What may enter the context at once. Varve holds the agent to this table; change the numbers as you like.",
  "",
  "| what | cap | means |",
  "|---|---|---|",
  row("tool return", `${thousands(defaultCaps.returnTokens)} tokens`, "what one tool call may bring in"),
  row("named range", `${thousands(defaultCaps.rangeTokens)} tokens`, "a Read of a range that was named"),
  row("window", `${defaultCaps.windowRounds} rounds`, "newest rounds that a sliding window keeps"),
  row("summary", `${defaultCaps.summaryTokens} tokens`, "the rolling summary in front of them"),
  "",
].join("\n");

/**
 * Claude Code's own caps of what a tool brings in: about as much as ours. `bashOutputMaxChars` (2.1.261 and later) stands for
 * `BASH_MAX_OUTPUT_LENGTH`, which is for older ones; longer output goes to a file that it names.
 */
export const claudeCodeCaps: Wanted = {
  bashOutputMaxChars: 4 * bounds.outputTokensMax,
  env: {
    BASH_MAX_OUTPUT_LENGTH: String(4 * bounds.outputTokensMax),
    MAX_MCP_OUTPUT_TOKENS: String(bounds.readTokensMax),
  },
};

export const gatewayEntry: Wanted = { mcpServers: { varve: { command: "varve", args: ["mcp"] } } };

/** Skeletons of the two documents that are looked into first and never loaded whole (M-67). */
export const documents: Readonly<Record<string, string>> = {
  "docs/project-context.md": [
    "# Project context",
    "",
    "What somebody new to this project has to know. Agents search this file and read parts of it; it is never loaded as a whole, so",
    "give each thing a heading of its own and say it in its first line.",
    "",
    "## What it is for",
    "",
    "## How it is built",
    "",
    "## How to run and test it",
    "",
    "## Words",
    "",
    "## Traps",
    "",
  ].join("\n"),
  "docs/decisions.md": [
    "# Decisions",
    "",
    "One heading for each decision, the newest first: what was decided, why, and what was rejected. Agents search this file and read",
    "the part they need.",
    "",
    "<!--",
    "## 2026-01-31 · A short title",
    "",
    "Decided: ...",
    "Because: ...",
    "Rejected: ...",
    "-->",
    "",
  ].join("\n"),
};

function row(what: string, cap: string, means: string): string {
  return `| ${what} | ${cap} | ${means} |`;
}

function thousands(count: number): string {
  return count % 1_000 === 0 ? `${count / 1_000}k` : String(count);
}
