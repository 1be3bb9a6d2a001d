import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { OpenTranscript, Reading } from "./transcript-bytes.ts";

/**
 *     storage/message/<session>/<message>.json
 *     storage/part/<message>/<part>.json
 *
 * A session of opencode before its version 1.2, as the one JSON value that its own export writes.
 */
export function openMessages(folder: string, names: readonly string[], { signal, onRead }: Reading): OpenTranscript {
  const parts = join(dirname(dirname(folder)), "part");
  let lost = 0;

  /** null for what is no JSON object: it would make the whole value unreadable. */
  async function objectIn(path: string): Promise<string | null> {
    signal.throwIfAborted();
    const info = await stat(path).catch(() => null);
    const isReadable = info?.isFile() === true && info.size <= bounds.transcriptLineBytesMax;
    const text = isReadable ? await readFile(path, "utf8").catch(() => null) : null;
    const parsed = text === null ? null : parseJson(text);
    if (parsed?.type === "ok" && isRecord(parsed.value)) return text;
    lost += 1;
    return null;
  }

  async function partsOf(message: string): Promise<string> {
    const of = join(parts, basename(message, ".json"));
    // A message without parts has no folder.
    const files = (await readdir(of).catch(() => [])).filter((name) => name.endsWith(".json")).sort();
    const texts: string[] = [];
    for (const file of files) texts.push((await objectIn(join(of, file))) ?? "");
    return texts.filter((text) => text !== "").join(",");
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    yield encoder.encode(`{"info":{"id":${JSON.stringify(basename(folder))}},"messages":[`);
    let between = "";
    for (const name of names) {
      const info = await objectIn(join(folder, name));
      if (info === null) continue;
      onRead(Buffer.byteLength(info));
      yield encoder.encode(`${between}{"info":${info},"parts":[${await partsOf(name)}]}`);
      between = ",";
    }
    yield encoder.encode("]}");
  }
  const why = () => (lost === 0 ? null : `${lost} of its messages and parts could not be read`);
  return { type: "open", chunks: chunks(), close: async () => why() };
}
