import { isRecord } from "../kernel/canonical.ts";
import { absolutePath } from "./path.ts";

/**
 * A call's input as hooks are told of it: with the names that Claude Code has for the same fields beside ours. A guard that
 * was written for it and finds no file under its name would let everything through.
 */
export function toldInput(tool: string, input: unknown, cwd: string): unknown {
  if (!fileTools.has(tool) || !isRecord(input)) return input;
  const told = named(input);
  return typeof input.path === "string" ? { ...told, file_path: absolutePath(cwd, input.path) } : told;
}

/** What a hook gives in its place, in the tool's own names. `told`: what it was told. */
export function ownInput(tool: string, input: unknown, told: unknown): unknown {
  return fileTools.has(tool) && isRecord(input) ? unnamed(input, told) : input;
}

const fileTools: ReadonlySet<string> = new Set(["Read", "Edit", "MultiEdit", "Write"]);

/** Ours, and theirs. */
const names: readonly (readonly [own: string, theirs: string])[] = [
  ["path", "file_path"],
  ["old", "old_string"],
  ["new", "new_string"],
  ["all", "replace_all"],
];

type Fields = Readonly<Record<string, unknown>>;

function named(fields: Fields): Fields {
  const theirs = names.filter(([own]) => Object.hasOwn(fields, own)).map(([own, name]) => [name, fields[own]] as const);
  const { edits } = fields;
  const nested = Array.isArray(edits) ? { edits: edits.map((one) => (isRecord(one) ? named(one) : one)) } : {};
  return { ...Object.fromEntries(theirs), ...fields, ...nested };
}

/** Of the two names the one whose value the hook changed; where it gave two answers, both stay, and the tool refuses them. */
function unnamed(fields: Fields, told: unknown): Fields {
  const before = isRecord(told) ? told : {};
  const own = new Map(Object.entries(fields));
  for (const [name, theirs] of names) {
    if (!own.has(theirs)) continue;
    const isNew = own.get(theirs) !== before[theirs];
    const isOwnNew = own.has(name) && own.get(name) !== before[name];
    if (isNew && isOwnNew && own.get(name) !== own.get(theirs)) continue;
    if (isNew || !own.has(name)) own.set(name, own.get(theirs));
    own.delete(theirs);
  }
  const { edits } = fields;
  const editsBefore = Array.isArray(before.edits) ? before.edits : [];
  if (Array.isArray(edits))
    own.set(
      "edits",
      edits.map((one, at) => (isRecord(one) ? unnamed(one, editsBefore[at]) : one)),
    );
  return Object.fromEntries(own);
}
