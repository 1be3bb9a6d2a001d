import { dirname } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { Instruction, InstructionOrigin } from "../ports/instructions.ts";
import { namesFile } from "../workspace/instructions-text.ts";
import { absolutePath } from "../workspace/path.ts";
import { type InstructionFile, type Looked, lookAt, saidIn, type TextFile } from "./instruction-file.ts";

/** One file as it is wanted. `body`: what of its text counts, where its fields were read. */
export type Wanted = {
  readonly path: string;
  readonly kind: Instruction["kind"];
  readonly origin: InstructionOrigin;
  readonly because: string | null;
  readonly body?: string;
  readonly imports: "followed" | "left";
};

/** `unusable`: it is empty, cannot be read or may not be, which is noted. */
export type Taken = "taken" | "absent" | "unusable";

export type Opened =
  /** `file` is the same object as long as the file on disk is. */
  | { readonly type: "open"; readonly located: string; readonly file: TextFile }
  | { readonly type: "absent" | "unusable" };

/** Collects files in the order they are taken, each text once, whatever ways lead to it. */
export type Walk = {
  take(wanted: Wanted): Promise<Taken>;
  open(path: string, origin: InstructionOrigin): Promise<Opened>;
  /** Whether that very file, or its very text, is among those that were taken. */
  holds(opened: Opened): boolean;
  isExcluded(path: string, origin: InstructionOrigin): boolean;
  note(line: string): void;
  add(file: Instruction): void;
  readonly files: readonly Instruction[];
  notes(): readonly string[];
};

export type WalkRules = {
  readonly userHome: string | null;
  readonly read: (located: string) => Promise<InstructionFile>;
  /** Whether a file may be followed to where it really is. */
  readonly mayRead: (located: string, origin: InstructionOrigin) => boolean;
  readonly isExcluded: (path: string, origin: InstructionOrigin) => boolean;
};

export function instructionWalk(rules: WalkRules): Walk {
  const { files, notes, note, add } = collected();
  const open = opener(rules, note);
  const places = new Set<string>();
  const contents = new Set<string>();

  async function take(wanted: Wanted, chain: readonly string[] = []): Promise<Taken> {
    const { path, kind, origin, because } = wanted;
    if (rules.isExcluded(path, origin)) return "taken";
    const opened = await open(path, origin);
    if (opened.type !== "open") return opened.type;
    const { located } = opened;
    if (places.has(located)) return "taken";
    const { text, imports, says, hash, tokens } = wanted.body === undefined ? opened.file.said() : saidIn(wanted.body);
    if (says === "nothing") {
      note(`${path} is empty`);
      return "unusable";
    }
    places.add(located);
    // A file that only imports has said all once its imports stand there.
    if (says === "something" && !contents.has(hash)) {
      contents.add(hash);
      add({ kind, name: path, origin, because, text, hash, tokens });
    }
    if (wanted.imports === "followed") await follow(wanted, imports, [...chain, located]);
    return "taken";
  }

  /** `chain`: the files that led here, by where they really are. */
  async function follow(by: Wanted, imports: readonly string[], chain: readonly string[]): Promise<void> {
    const { kind, origin } = by;
    if (imports.length > bounds.importsMax) note(`${by.path}: of its imports the first ${bounds.importsMax} are read`);
    for (const name of imports.slice(0, bounds.importsMax)) {
      const path = importedPath(name, by.path, rules.userHome);
      const found = path === null ? null : await lookAt(path);
      const fault = faultOf(name, found, { origin, chain, mayRead: rules.mayRead });
      if (fault !== null) note(`${by.path} imports @${name}${fault}`);
      if (fault !== null || path === null || found?.type !== "found" || found.kind !== "file") continue;
      await take({ kind, origin, path, because: `imported by ${by.path}`, imports: "followed" }, chain);
    }
  }

  return {
    take: (wanted) => take(wanted),
    open,
    isExcluded: rules.isExcluded,
    holds: (opened) => opened.type === "open" && (places.has(opened.located) || contents.has(opened.file.said().hash)),
    note,
    add,
    files,
    notes: () => [...notes],
  };
}

function collected() {
  const files: Instruction[] = [];
  const notes = new Set<string>();
  const note = (line: string) => void notes.add(line);
  const add = (file: Instruction) => {
    if (files.length < bounds.instructionFilesMax) files.push(file);
    else note(`there are more than ${bounds.instructionFilesMax} files of instructions: the others are not read`);
  };
  return { files, notes, note, add };
}

function opener({ read, mayRead }: WalkRules, note: Walk["note"]): Walk["open"] {
  const unusable = (why: string): Opened => {
    note(why);
    return { type: "unusable" };
  };
  return async (path, origin) => {
    const found = await lookAt(path);
    if (found.type === "absent") return found;
    if (found.type === "unusable") return unusable(`${path} cannot be read: ${found.why}`);
    const { located, kind } = found;
    if (kind !== "file") return unusable(`${path} cannot be read: it is a ${kind}`);
    if (!mayRead(located, origin)) return unusable(`${path} leads out of the project, to ${located}: it is not read`);
    const file = await read(located);
    if (file.type === "unread") return unusable(`${path} cannot be read: ${file.why}`);
    if (file.note !== null) note(`${path}: ${file.note}`);
    return { type: "open", located, file };
  };
}

/** null: in a home folder that is not looked at. */
function importedPath(name: string, by: string, userHome: string | null): string | null {
  if (!name.startsWith("~/")) return absolutePath(dirname(by), name);
  return userHome === null ? null : `${userHome}${name.slice(1)}`;
}

/** What is wrong with an import, for a note; null: nothing is worth one. */
function faultOf(
  name: string,
  found: Looked | null,
  {
    origin,
    chain,
    mayRead,
  }: Pick<Wanted, "origin"> & Pick<WalkRules, "mayRead"> & { readonly chain: readonly string[] },
): string | null {
  if (found?.type !== "found" || found.kind !== "file") return namesFile(name) ? ", but there is no such file" : null;
  if (chain.includes(found.located)) return ", which imports it: a circle, each is read once";
  if (!mayRead(found.located, origin)) return " from outside the project: it is not read";
  const hops = bounds.importHopsMax;
  return chain.length > hops ? `, more than ${hops} hops from ${chain[0]}: it is not read` : null;
}
