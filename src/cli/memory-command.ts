import { type MemoryScope, type MemoryType, memoryTypes, type Note, noteOf } from "../memory/memory-file.ts";
import { CommandError, UsageError } from "./exit.ts";
import { oneOf } from "./settings.ts";

export type MemoryFlags = {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly topic?: string;
  readonly type?: string;
  readonly json?: boolean;
};

/** The words behind `varve memory`, checked. `scope`: null where none was named. */
export type MemoryCommand =
  | { readonly type: "list" | "path" }
  | { readonly type: "show" | "remove"; readonly name: string }
  | { readonly type: "add"; readonly text: string; readonly topic: string | null; readonly about: MemoryType | null }
  | { readonly type: "accept"; readonly which: string; readonly text: string | null }
  | { readonly type: "refuse"; readonly which: string };

export function memoryCommand(action: string, args: readonly string[], flags: MemoryFlags): MemoryCommand {
  if (flags.user === true && flags.project === true) throw new UsageError("memory: --user or --project, not both");
  const strange = action === "add" ? undefined : flags.topic !== undefined ? "--topic" : flags.type && "--type";
  if (strange !== undefined && strange !== "") throw new UsageError(`memory ${action}: ${strange} goes with add only`);
  const parse = Object.hasOwn(parsers, action) ? parsers[action] : undefined;
  if (parse === undefined)
    throw new UsageError(`memory: expected ${Object.keys(parsers).join(", ")}; got "${action.slice(0, 80)}"`);
  return parse(args, flags);
}

export function scopeOf({ user, project }: MemoryFlags): Exclude<MemoryScope, "claude"> | null {
  if (user === true) return "user";
  return project === true ? "project" : null;
}

type Parse = (args: readonly string[], flags: MemoryFlags) => MemoryCommand;

const parsers: Readonly<Record<string, Parse>> = {
  list: (args) => ({ type: noneBehind("list", args) }),
  path: (args) => ({ type: noneBehind("path", args) }),
  show: (args) => ({ type: "show", name: oneOfArgs("show", "name", args) }),
  remove: (args) => ({ type: "remove", name: oneOfArgs("remove", "name", args) }),
  add(args, { topic, type }) {
    const about = type === undefined ? null : oneOf("--type", memoryTypes, type);
    if (topic !== undefined && topic.trim() === "") throw new UsageError("--topic: expected some words");
    return { type: "add", text: textOf("add", args), topic: topic?.trim() ?? null, about };
  },
  accept(args) {
    const [which, ...words] = args;
    if (which === undefined) throw new UsageError("memory accept: expected a number or id from `varve memory`, or all");
    if (which === "all" && words.length > 0) throw new UsageError("memory accept all takes no other words");
    return { type: "accept", which, text: words.length === 0 ? null : textOf("accept", words) };
  },
  refuse: (args) => ({ type: "refuse", which: oneOfArgs("refuse", "number or id, or all", args) }),
};

function noneBehind<T extends "list" | "path">(action: T, args: readonly string[]): T {
  if (args.length > 0) throw new UsageError(`memory ${action} takes no more words`);
  return action;
}

function oneOfArgs(action: string, what: string, args: readonly string[]): string {
  const [one] = args;
  if (one !== undefined && args.length === 1) return one;
  throw new UsageError(`memory ${action}: expected one ${what}, got ${args.length}`);
}

function textOf(action: string, words: readonly string[]): string {
  if (words.length === 0) throw new UsageError(`memory ${action}: expected the words to keep`);
  const note: Note = noteOf(words.join(" "));
  if (note.type === "bad") throw new CommandError(note.why);
  return note.text;
}
