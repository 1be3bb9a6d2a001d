import { dirname } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { Instruction, InstructionOrigin } from "../ports/instructions.ts";
import { namesFile } from "../workspace/instructions-text.ts";
import { absolutePath } from "../workspace/path.ts";
import { type InstructionFile, lookAt, saidIn, type TextFile } from "./instruction-file.ts";

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

export function instructionWalk({ userHome, read, mayRead, isExcluded }: WalkRules): Walk {
  const files: Instruction[] = [];
  const notes = new Set<string>();
  const places = new Set<string>();
  const contents = new Set<string>();
  const note = (line: string) => void notes.add(line);

  async function open(path: string, origin: InstructionOrigin): Promise<Opened> {
    const found = await lookAt(path);
    if (found.type === "absent") return found;
    const fault = found.type === "unusable" ? found.why : found.kind === "file" ? null : `it is a ${found.kind}`;
    if (found.type === "unusable" || fault !== null) return unusable(`${path} cannot be read: ${fault}`);
    const { located } = found;
    if (!mayRead(located, origin)) return unusable(`${path} leads out of the project, to ${located}: it is not read`);
    const file = await read(located);
    if (file.type === "unread") return unusable(`${path} cannot be read: ${file.why}`);
    if (file.note !== null) note(`${path}: ${file.note}`);
    return { type: "open", located, file };
  }

  async function take(wanted: Wanted, chain: readonly string[] = []): Promise<Taken> {
    const { path, kind, origin, because } = wanted;
    if (isExcluded(path, origin)) return "taken";
    const opened = await open(path, origin);
    if (opened.type !== "open") return opened.type;
    const { located } = opened;
    if (places.has(located)) return "taken";
    const { text, imports, says, hash, tokens } = wanted.body === undefined ? opened.file.said() : saidIn(wanted.body);
    if (says === "nothing") return unusable(`${path} is empty`).type;
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
      const path = name.startsWith("~/") ? `${userHome ?? "/~"}${name.slice(1)}` : absolutePath(dirname(by.path), name);
      const says = `${by.path} imports @${name}`;
      const found = await lookAt(path);
      if (found.type !== "found" || found.kind !== "file") {
        if (namesFile(name)) note(`${says}, but there is no such file`);
      } else if (chain.includes(found.located)) note(`${says}, which imports it: a circle, each is read once`);
      else if (!mayRead(found.located, origin)) note(`${says} from outside the project: it is not read`);
      else if (chain.length > bounds.importHopsMax)
        note(`${says}, more than ${bounds.importHopsMax} hops from ${chain[0]}: it is not read`);
      else await take({ kind, origin, path, because: `imported by ${by.path}`, imports: "followed" }, chain);
    }
  }

  function add(file: Instruction): void {
    if (files.length < bounds.instructionFilesMax) files.push(file);
    else note(`there are more than ${bounds.instructionFilesMax} files of instructions: the others are not read`);
  }

  function unusable(why: string): { readonly type: "unusable" } {
    note(why);
    return { type: "unusable" };
  }

  return {
    take: (wanted) => take(wanted),
    open,
    holds: (opened) => opened.type === "open" && (places.has(opened.located) || contents.has(opened.file.said().hash)),
    note,
    add,
    files,
    notes: () => [...notes],
  };
}
