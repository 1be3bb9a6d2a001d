import { lstat, realpath, stat } from "node:fs/promises";
import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import { madeOnce } from "../kernel/once.ts";
import { decodeText } from "../tools/encoding.ts";
import { type InstructionsText, instructionsText } from "../workspace/instructions-text.ts";
import { codeOf, explain } from "./fs-error.ts";
import { kindOf } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";

/** What stands at a path. `absent` covers a path that leads through a file: nothing can stand there. */
export type Looked =
  | { readonly type: "found"; readonly located: string; readonly kind: ReturnType<typeof kindOf> }
  | { readonly type: "absent" }
  | { readonly type: "unusable"; readonly why: string };

export async function lookAt(path: string): Promise<Looked> {
  try {
    const located = await realpath(path);
    return { type: "found", located, kind: kindOf(await lstat(located)) };
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(error))) return { type: "unusable", why: explain(error) };
    return (await isLink(path)) ? { type: "unusable", why: "it is a link to nothing" } : { type: "absent" };
  }
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

/** A file's text, or why there is none. */
export type InstructionFile = TextFile | { readonly type: "unread"; readonly why: string };

export type TextFile = {
  readonly type: "text";
  readonly text: string;
  /** What of it is not as its writer meant; null: nothing. */
  readonly note: string | null;
  said(): Said;
};

/** `hash` and `tokens` are of its whole text; the rest is of no more than could ever be shown. */
export type Said = InstructionsText & { readonly hash: Hash; readonly tokens: number };

export function saidIn(markdown: string): Said {
  const beginning = markdown.slice(0, bounds.instructionCharsMax);
  const said = instructionsText(beginning);
  const whole = beginning.length === markdown.length ? said.text : markdown;
  return { ...said, hash: hashOf(whole), tokens: estimate(whole) };
}

/** Reads located files; one that has not changed since is not read again. */
export function instructionFiles(): (located: string) => Promise<InstructionFile> {
  const kept = new Map<string, { readonly stamp: string; readonly file: InstructionFile }>();
  let chars = 0;
  return async (located) => {
    const stamp = await stampOf(located);
    const before = kept.get(located);
    if (stamp !== null && before?.stamp === stamp) return before.file;
    const file = await readNow(located);
    if (stamp === null) return file;
    const more = file.type === "text" ? file.text.length : 0;
    if (kept.size >= bounds.ruleNamesMax || chars + more > charsKeptMax) {
      kept.clear();
      chars = 0;
    }
    kept.set(located, { stamp, file });
    chars += more;
    return file;
  };
}

const charsKeptMax = 8 * bounds.instructionFileBytesMax;

/** Clocks of file systems are coarse: what was written a moment ago may be written again without a sign of it. */
const settledMs = 100;

export async function stampOf(path: string): Promise<string | null> {
  try {
    const found = await stat(path, { bigint: true });
    if (Date.now() - Number(found.mtimeMs) < settledMs) return null;
    return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
  } catch {
    // Gone, or not ours to look at: reading says which.
    return null;
  }
}

async function readNow(located: string): Promise<InstructionFile> {
  const read = await readFile(located, bounds.instructionFileBytesMax);
  if (read.type === "failed") return { type: "unread", why: read.why };
  const decoded = decodeText(read.more ? wholeCharacters(read.bytes) : read.bytes);
  if (decoded.type === "binary") return { type: "unread", why: `it is no text: ${decoded.why}` };
  const { text, encoding } = decoded;
  const mib = bounds.instructionFileBytesMax / 1024 / 1024;
  const more = read.more ? `it is larger than ${mib} MiB; what is behind is not read` : null;
  const note = encoding === "latin-1" ? "it is not valid UTF-8; read as Latin-1" : more;
  const file: TextFile = { type: "text", text, note, said: () => saidOnce(file, () => saidIn(text)) };
  return file;
}

const saidOnce = madeOnce<TextFile, Said>();

/** Cut inside a character of UTF-8: without the piece of it. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
