import { setImmediate } from "node:timers/promises";
import { readTranscript, type Transcript } from "../import/read.ts";
import type { Format, Item } from "../import/transcript.ts";
import { openOpencode } from "./opencode.ts";
import { type OpenTranscript, openTranscript, type Reading } from "./transcript-bytes.ts";
import { eventLines } from "./transcript-events.ts";
import type { Pieces, TranscriptFile } from "./transcript-files.ts";
import { openMessages } from "./transcript-messages.ts";

/** What there is in a file. `noted` says what is wrong with what was read of it before. */
export type FoundSession =
  | { readonly type: "session"; readonly file: string; readonly format: Format; readonly items: AsyncIterable<Item> }
  | { readonly type: "skipped" | "noted"; readonly file: string; readonly why: string };

/** Sessions of one file, one after the other: each is to be read before the next is asked for. At the signal they end early. */
export async function* sessionsIn({ path, pieces }: TranscriptFile, reading: Reading): AsyncGenerator<FoundSession> {
  if (path.endsWith(".db")) return yield* sessionsInDatabase(path, reading.signal);
  const opened = pieces === null ? await openTranscript(path, reading) : openPieces(path, pieces, reading);
  if (opened.type === "refused") return yield { type: "skipped", file: path, why: opened.why };
  let found: Transcript | null;
  let why: string | null;
  try {
    found = await recognised(opened.chunks, reading.signal);
    if (found?.type === "transcript") {
      const items = untilSignal(found.items, reading.signal);
      yield { type: "session", file: path, format: found.format, items };
    }
  } finally {
    why = await opened.close();
  }
  if (found?.type === "foreign") yield { type: "skipped", file: path, why: why ?? found.why };
  else if (why !== null) yield { type: "noted", file: path, why };
}

async function* sessionsInDatabase(path: string, signal: AbortSignal): AsyncGenerator<FoundSession> {
  const opened = await openOpencode(path);
  if (opened.type === "refused") return yield { type: "skipped", file: path, why: opened.why };
  try {
    for (const items of opened.sessions)
      yield { type: "session", file: path, format: "opencode", items: untilSignal(items, signal) };
  } finally {
    await opened.close();
  }
}

function openPieces(path: string, { type, names }: Pieces, reading: Reading): OpenTranscript {
  if (type === "messages") return openMessages(path, names, reading);
  return { type: "open", chunks: eventLines(path, names, reading), close: async () => null };
}

/** null: the signal came before anything was known. */
async function recognised(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Transcript | null> {
  return await readTranscript(chunks).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
}

/** Ends at the signal, and lets it come: items of a file that is in memory leave the program no other moment for it. */
async function* untilSignal(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  let count = 0;
  try {
    for await (const item of items) {
      yield item;
      count += 1;
      if (count % itemsBetweenBreaths === 0) await setImmediate();
      if (signal.aborted) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const itemsBetweenBreaths = 256;
