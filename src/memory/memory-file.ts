import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import { parseFrontmatter } from "../workspace/frontmatter.ts";

/** Whose a memory is: the user's everywhere, this project's, or what Claude Code kept for this project, which is only read. */
export type MemoryScope = "user" | "project" | "claude";

/** What it is about: the user, how work is to be done, the project, or where something is found. */
export type MemoryType = "user" | "feedback" | "project" | "reference";
export const memoryTypes: readonly MemoryType[] = ["user", "feedback", "project", "reference"];

/** One topic file of a memory folder, as it stood on disk. */
export type MemoryFile = {
  readonly scope: MemoryScope;
  /** Its name in the folder, with `.md`. */
  readonly file: string;
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | null;
  readonly body: string;
  /** The file goes on behind what was read. */
  readonly isCut: boolean;
  readonly hash: Hash;
  readonly writtenMs: number;
};

export type MemoryRead = { readonly memory: MemoryFile; readonly note: string | null };

type Place = Pick<MemoryFile, "scope" | "file" | "path" | "isCut" | "writtenMs">;

/** Names itself by its fields, else by its first heading or its file. Broken fields cost the fields, not the memory. */
export async function parseMemory(text: string, place: Place): Promise<MemoryRead> {
  const front = await parseFrontmatter(text);
  const field = (key: string) => {
    const value = front.type === "ok" ? front.fields.get(key)?.value : undefined;
    return typeof value === "string" || typeof value === "number" ? inLine(String(value)) : "";
  };
  const body = (front.type === "bad" && front.body === "" ? front.raw : front.body).trim();
  const type = memoryTypes.find((one) => one === field("type").toLowerCase()) ?? null;
  const memory: MemoryFile = {
    ...place,
    name: field("name") || headingOf(body) || place.file.replace(/\.md$/i, ""),
    description: field("description") || firstLine(body),
    type,
    body,
    hash: hashOf(text),
  };
  const note = front.type === "bad" ? `${place.path}:${front.line}: ${front.why}; read without its fields` : null;
  return { memory, note };
}

/** By what the model and the user call it. */
export function memoryName({ scope, file }: Pick<MemoryFile, "scope" | "file">): string {
  return `${scope}/${file.replace(/\.md$/i, "")}`;
}

/** The memory that is meant by `scope/name`, or by a name alone that only one has. */
export function memoryNamed(
  all: readonly MemoryFile[],
  name: string,
):
  | { readonly type: "found"; readonly memory: MemoryFile }
  | { readonly type: "unknown"; readonly names: readonly string[] } {
  const plain = name.trim().normalize("NFC").replace(/\.md$/i, "").toLowerCase();
  const found = all.filter((one) => {
    const full = memoryName(one).normalize("NFC").toLowerCase();
    return full === plain || full.slice(one.scope.length + 1) === plain;
  });
  const [first] = found;
  if (found.length === 1 && first !== undefined) return { type: "found", memory: first };
  const near = found.length > 1 ? found : all.filter((one) => memoryName(one).toLowerCase().includes(plain));
  return { type: "unknown", names: (near.length > 0 ? near : all).slice(0, namesShownMax).map(memoryName) };
}

const namesShownMax = 20;

/** A new topic file. JSON's strings are YAML's too, so no description can end its own line. */
export function newMemoryText(memory: Pick<MemoryFile, "name" | "description" | "type" | "body">): string {
  const { name, description, type, body } = memory;
  const fields = [`name: ${JSON.stringify(name)}`, `description: ${JSON.stringify(description)}`];
  return ["---", ...fields, ...(type === null ? [] : [`type: ${type}`]), "---", "", body.trim(), ""].join("\n");
}

/** The file with one more paragraph at its end; the same text is not put in twice. */
export function withParagraph(file: string, text: string): string {
  if (holds(file, text)) return file;
  const before = file.replace(/\s+$/, "");
  return before === "" ? `${text.trim()}\n` : `${before}\n\n${text.trim()}\n`;
}

/** Whether the file says the same words already, however they are set. */
export function holds(file: string, text: string): boolean {
  return plain(file).includes(plain(text));
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** A file's name for a topic: letters and digits of any script; "" where there are none. */
export function topicFile(topic: string): string {
  const name = topic
    .toWellFormed()
    .normalize("NFC")
    .replace(/\.md$/i, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu)
    ?.join("-");
  const short = [...(name ?? "")].slice(0, topicCharsMax).join("").replace(/-+$/, "");
  // `memory.md` would be the index itself where names differ by case only.
  if (short === "") return "";
  return `${short === "memory" ? "memory-notes" : short}.md`;
}

const topicCharsMax = 48;

/** Of a note that names no topic: its first words. */
export function topicOf(text: string): string {
  const words = firstLine(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.slice(0, 6).join(" ");
}

function headingOf(body: string): string {
  return inLine(/^#{1,3}[ \t]+(.+)$/m.exec(body.slice(0, 2_000))?.[1] ?? "");
}

export function firstLine(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "" && !/^\s*(?:#|---|```)/.test(one)) ?? "";
  return inLine(line.replace(/^\s*[-*•]\s+/, ""));
}

/** Shown in lists, so in one line, and a short one. */
function inLine(text: string): string {
  const line = text.toWellFormed().replaceAll(/\s+/g, " ").trim();
  return line.length > lineCharsMax ? `${line.slice(0, lineCharsMax).toWellFormed().trimEnd()}…` : line;
}

const lineCharsMax = 200;

export type Note =
  | { readonly type: "ok"; readonly text: string; readonly id: string }
  | { readonly type: "bad"; readonly why: string };

/** A text as it is kept, or why it cannot be. The same words have the same id. */
export function noteOf(given: string): Note {
  const text = given.toWellFormed().replaceAll("\r\n", "\n").trim();
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text))
    return { type: "bad", why: "a memory is some words; these are none" };
  if (text.includes("\0")) return { type: "bad", why: "a memory is text; this holds a NUL byte" };
  const { length } = text;
  if (length > bounds.memoryTextCharsMax) {
    const why = `a memory has at most ${bounds.memoryTextCharsMax} characters, this one has ${length}: keep what matters`;
    return { type: "bad", why };
  }
  return { type: "ok", text, id: `m${hashOf(plain(text)).slice(0, 9)}` };
}
