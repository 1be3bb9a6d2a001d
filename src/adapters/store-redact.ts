import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../kernel/canonical.ts";
import { brand, type Hash, mainLane, type SessionId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { blobsNamedBy } from "../log/blobs.ts";
import type { BlobRef } from "../log/block.ts";
import { decodeLine, encodeLine } from "../log/codec.ts";
import type { Entry } from "../log/entry.ts";
import type { Fence, Stores, StreamId } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import { removeProjectIndexes } from "./project-index-path.ts";
import { cleanEntry, type Leak, type Replacements, withoutLeak } from "./redact-line.ts";
import { blobPath } from "./store-file-blobs.ts";
import { pathsOf, type StreamPaths } from "./store-file-path.ts";
import { namesIn, syncFolder } from "./store-folder.ts";

export type Redacted =
  /** `seqs`: entries that were rewritten; `blobs`: texts that were removed. Both empty: it stood nowhere. */
  | { readonly type: "redacted"; readonly seqs: readonly number[]; readonly blobs: readonly Hash[] }
  | { readonly type: "refused"; readonly why: string };

/**
 * Takes a leaked secret out of a session (law 1's one exception, decision 0018). The log is written anew beside the old one,
 * with a chain of its own and an entry that names what was changed, and then takes its name; a death before that leaves the
 * old log, one after it leaves texts that nothing names, which the next call removes.
 */
export async function redactSession(call: {
  readonly root: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly session: SessionId;
  readonly owner: string;
  readonly leak: Leak;
}): Promise<Redacted> {
  const { root, stores, session, owner } = call;
  const stream: StreamId = { type: "lane", session, lane: mainLane };
  const lease = await stores.log.lease(stream, owner);
  if (lease.type === "busy")
    return { type: "refused", why: `the session is open in ${lease.owner}: end it there first` };
  if (lease.type === "refused") return lease;
  try {
    return await rewrite({ ...call, stream, fence: lease.fence, paths: pathsOf(root, stream) });
  } finally {
    await lease.release();
  }
}

type Rewriting = {
  readonly root: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly leak: Leak;
  readonly stream: StreamId;
  readonly fence: Fence;
  readonly paths: StreamPaths;
};

async function rewrite(call: Rewriting): Promise<Redacted> {
  const { paths } = call;
  const damage: string[] = [];
  for await (const _ of call.stores.log.read(call.stream, null, {
    onDamage: ({ line, type }) => damage.push(`line ${line}: ${type}`),
  }));
  if (damage.length > 0)
    return { type: "refused", why: `the log is damaged (${damage[0]}), so its chain cannot be made anew` };
  const replaced = await cleanBlobs(call);
  const text = await readFile(paths.log, "utf8");
  const built = rebuilt(
    text.split("\n").filter((line) => line.trim() !== ""),
    call.leak,
    replaced,
  );
  if (typeof built === "string") return { type: "refused", why: built };
  const { seqs, lines, named } = built;
  const unnamed = (hashes: readonly Hash[]) => [...new Set(hashes)].filter((hash) => !named.has(hash));
  const now = unnamed([...replaced.keys(), ...built.namedBefore]);
  const blobs = now.filter((hash) => !built.removedBefore.includes(hash));
  if (seqs.length > 0 || blobs.length > 0) await putInPlace(call, built.end, lines, { seqs, blobs });
  // What a call that died before its end was to remove goes with it.
  for (const hash of unnamed([...now, ...built.removedBefore])) await rm(blobPath(paths.blobs, hash), { force: true });
  return { type: "redacted", seqs, blobs: now };
}

/** The new texts are stored before anything names them. */
async function cleanBlobs({ leak, paths, stores, stream }: Rewriting): Promise<Replacements> {
  const replaced = new Map<Hash, BlobRef>();
  if (leak.type === "handle") return replaced;
  for (const folder of await namesIn(paths.blobs)) {
    for (const name of await namesIn(join(paths.blobs, folder))) {
      const text = (await readFile(join(paths.blobs, folder, name))).toString("utf8");
      const clean = withoutLeak(text, leak.text);
      if (clean === text) continue;
      if (!/^[0-9a-f]{64}$/.test(name)) {
        // Left by a process that died while it stored the text.
        await rm(join(paths.blobs, folder, name), { force: true });
        continue;
      }
      replaced.set(brand(name), { blob: await stores.blobs.put(stream, clean), chars: clean.length });
    }
  }
  return replaced;
}

type Rebuilt = {
  readonly lines: readonly string[];
  readonly seqs: readonly number[];
  /** Where the chain ends. */
  readonly end: { readonly seq: number; readonly hash: Hash | "" };
  /** Blobs that the new lines name; that only the rewritten ones named; that earlier redactions removed. */
  readonly named: ReadonlySet<Hash>;
  readonly namedBefore: readonly Hash[];
  readonly removedBefore: readonly Hash[];
};

/** A text: why it cannot be done. */
function rebuilt(old: readonly string[], leak: Leak, replaced: Replacements): Rebuilt | string {
  const lines: string[] = [];
  const seqs: number[] = [];
  const namedBefore: Hash[] = [];
  const entries: Entry[] = [];
  let hash: Hash | "" = "";
  for (const line of old) {
    const before = decodeLine(line);
    const parsed = parseJson(line);
    if (before.type === "bad" || parsed.type === "bad" || !isRecord(parsed.value)) return "a line of it cannot be read";
    const { seq } = before.entry;
    const { fence: _fence, prev: _prev, seq: _seq, at: _at, ...body } = parsed.value;
    const clean = cleanEntry(body, leak, replaced);
    const next = relinked(line, before, clean === body ? null : clean, hash);
    const after = decodeLine(next);
    if (after.type === "bad")
      return `entry ${seq} could not be read without it (${after.why}): the text is part of what the log says`;
    if (clean !== body) {
      seqs.push(seq);
      namedBefore.push(...blobsNamedBy(before.entry));
    }
    entries.push(after.entry);
    lines.push(next);
    hash = after.hash;
  }
  const removedBefore = entries.flatMap((entry) => (entry.type === "log-redacted" ? entry.blobs : []));
  const named = new Set(entries.flatMap(blobsNamedBy));
  return { lines, seqs, end: { seq: entries.at(-1)?.seq ?? 0, hash }, named, namedBefore, removedBefore };
}

type Decoded = Extract<ReturnType<typeof decodeLine>, { readonly type: "ok" }>;

/** A line that only moves in the chain keeps every byte but the hash of the line before it. */
function relinked(line: string, { entry, fence, prev }: Decoded, body: unknown, hash: Hash | ""): string {
  if (body !== null && isRecord(body))
    return JSON.stringify({ seq: entry.seq, fence, prev: hash, at: entry.at, ...body });
  return prev === hash ? line : line.replace(`"prev":"${prev}"`, `"prev":"${hash}"`);
}

async function putInPlace(
  { root, paths, clock, fence }: Rewriting,
  end: Rebuilt["end"],
  lines: readonly string[],
  what: { readonly seqs: readonly number[]; readonly blobs: readonly Hash[] },
): Promise<void> {
  const body = { type: "log-redacted", ...what } as const;
  const last = encodeLine({ seq: end.seq + 1, at: clock.now(), fence, prev: end.hash, body });
  const part = `${paths.log}.redacted.part`;
  const file = await open(part, "w", 0o600);
  try {
    await file.writeFile(`${[...lines, last].join("\n")}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  // Shortcuts to the old log: without them the log is read from its beginning.
  await rm(paths.checkpoint, { force: true });
  for (const part of ["", "-wal", "-shm"]) await rm(`${paths.index}${part}`, { recursive: true, force: true });
  await removeProjectIndexes(root);
  await rename(part, paths.log);
  await syncFolder(paths.folder);
}
