import type { Handle } from "../kernel/ids.ts";

/** A result as it will enter the prompt. `whole` means the text is the original itself and needs no handle. */
export type FirstForm = { readonly whole: boolean; readonly text: string };

export type FormInput = {
  readonly tool: string;
  readonly text: string;
  readonly exitCode: number | null;
  readonly form: "range" | "output" | "whole";
  /** Begins with the content's hash (kernel/hash.ts): equal handles, equal contents. */
  readonly handle: Handle;
  /** What the call asked for: its input as JSON, or its command. Lines that hold its words are kept before others. */
  readonly call?: string;
  /** The project's own cap for this return; left out: the usual one. */
  readonly capTokens?: number;
  /** Names and paths the conversation has used lately, newest first; they rank what is kept as the call's words do. */
  readonly named?: readonly string[];
  /** What the user asked for last, word for word: of a page, the elements it speaks of are kept before others. */
  readonly request?: string;
};

/**
 * First forms of one's own, by the name of a tool or a server (`mcp__server__tool` asks the tool's whole name, then
 * `server`). `null`: the usual form. What is larger than the original is not used.
 */
export type FormRules = Readonly<Record<string, (input: FormInput) => FirstForm | null>>;

/** What a text is, as far as its first form goes. */
export type TextKind =
  | "json"
  | "snapshot"
  | "html"
  | "diff"
  | "tests"
  | "build"
  | "log"
  | "table"
  | "history"
  | "search"
  | "listing"
  | "source"
  | "trace"
  | "prose"
  | "command"
  | "binary";

/**
 * What a line is worth before its names are counted: 1 is usual, 0 nothing, `must` is kept before anything is weighed. Made
 * anew for each text and asked of its lines in order, so it may remember the lines before.
 */
export type Judge = (line: string) => number;

export const must = 1_000;
