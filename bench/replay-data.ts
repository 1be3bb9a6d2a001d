import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readTranscript } from "../src/import/read.ts";
import type { Item } from "../src/import/transcript.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { computeProbes, probeRow } from "../src/replay/probes.ts";
import { record } from "../src/replay/record.ts";
import type { Probe, Recording } from "../src/replay/recording.ts";

export type ReplaySession = {
  /** Its path below `sessions`. */
  readonly session: string;
  readonly format: string;
  /** By its line in `sessions/index.jsonl`, counted from 0. */
  readonly half: "even" | "odd";
  readonly recording: Recording;
  readonly probes: readonly Probe[];
};

export type ReplayData = {
  readonly sessions: readonly ReplaySession[];
  readonly leftOut: readonly { readonly session: string; readonly why: string }[];
  /** Where the probes are from. */
  readonly probes: "given" | "computed";
};

/**
 * The sessions of a folder laid out as `data/README.md` says. Without `retention/probes.jsonl` the probes are computed. Where
 * it has rows for other sessions of a format, one without rows needs nothing; formats it has no rows for were not looked at.
 */
export async function replayData(folder: string, tokensOf: (text: string) => number): Promise<ReplayData> {
  const given = await givenProbes(join(folder, "retention", "probes.jsonl"));
  const read: Omit<ReplaySession, "probes">[] = [];
  const leftOut: { readonly session: string; readonly why: string }[] = [];
  for (const [row, session] of (await sessionNames(join(folder, "sessions"))).entries()) {
    const half = row % 2 === 0 ? "even" : "odd";
    const one = await readSession(join(folder, "sessions", session), { session, tokensOf, retold: "left-out" });
    if (one.type === "left-out") leftOut.push({ session, why: one.why });
    else read.push({ session, format: one.format, half, recording: one.recording });
  }
  if (given === null) {
    return {
      sessions: read.map((one) => ({ ...one, probes: computeProbes(one.recording) })),
      leftOut,
      probes: "computed",
    };
  }
  const formats = new Set(read.filter(({ session }) => given.has(session)).map(({ format }) => format));
  const isLookedAt = ({ format }: { readonly format: string }) => formats.size === 0 || formats.has(format);
  const others = read.filter((one) => !isLookedAt(one));
  return {
    sessions: read.filter(isLookedAt).map((one) => ({ ...one, probes: given.get(one.session) ?? [] })),
    leftOut: [
      ...leftOut,
      ...others.map(({ session }) => ({ session, why: "no rows in retention/probes.jsonl for its format" })),
    ],
    probes: "given",
  };
}

type Read =
  | { readonly type: "read"; readonly format: string; readonly recording: Recording }
  | { readonly type: "left-out"; readonly why: string };

type Reading = Omit<Parameters<typeof record>[0], "items"> & { readonly itemOf?: (item: Item) => Item };

/** A session file as its calls, whatever the format; why it is left out, where it has none or cannot be read. */
export async function readSession(file: string, { itemOf = (item) => item, ...how }: Reading): Promise<Read> {
  try {
    const transcript = await readTranscript(createReadStream(file));
    if (transcript.type === "foreign") return { type: "left-out", why: transcript.why };
    const items: Item[] = [];
    for await (const item of transcript.items) items.push(itemOf(item));
    const recorded = record({ ...how, items });
    if (recorded.type === "no-usage") return { type: "left-out", why: recorded.why };
    return { type: "read", format: transcript.format, recording: recorded.recording };
  } catch (error) {
    return { type: "left-out", why: error instanceof Error ? error.message : String(error) };
  }
}

async function givenProbes(file: string): Promise<ReadonlyMap<string, readonly Probe[]> | null> {
  const text = await textOf(file);
  if (text === null) return null;
  const rows = text.split("\n").flatMap((line) => probeRow(line) ?? []);
  const bySession = Map.groupBy(rows, ({ session }) => session);
  return new Map([...bySession].map(([session, own]) => [session, own.map(({ probe }) => probe)]));
}

/** In the order of the index, then what it does not name. */
export async function sessionNames(folder: string): Promise<readonly string[]> {
  const listed = ((await textOf(join(folder, "index.jsonl"))) ?? "").split("\n").flatMap(fileOfRow);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => name !== "index.jsonl")
    .sort();
  return [...new Set([...listed, ...found])];
}

function fileOfRow(line: string): readonly string[] {
  const parsed = parseJson(line);
  const file = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.file : undefined;
  return typeof file === "string" ? [file] : [];
}

/** null: there is no such file. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
