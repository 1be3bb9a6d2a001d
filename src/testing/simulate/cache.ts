import { trim } from "./memory.ts";

/** One place in a prompt where a prefix can be read from or written to the cache; `key` names all up to it. */
export type Position = {
  readonly key: string;
  readonly tokens: number;
  readonly writeMs: number | null;
  /** A breakpoint stands here, though this request may not write it. */
  readonly isMarked?: boolean;
};

export type CacheUse = {
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  readonly writeOtherTokens: number;
  /** Those of the others that live for 12 hours. */
  readonly write12hTokens: number;
  /** What this request leaves readable once its answer has begun: written or refreshed. */
  readonly left: readonly { readonly key: string; readonly tokens: number }[];
};

/** How a service looks for what it has: within so many positions of each breakpoint, or among the newest breakpoints. */
export type CacheRules = {
  readonly lookBack: number;
  readonly breakpointsMax: number;
  readonly minimumTokens: number;
};

export type PrefixCache = {
  /** `pending`: written by a request whose answer has not begun. */
  state(key: string, now: number): "alive" | "expired" | "absent" | "pending";
  /** Reads, refreshes and writes for a request that started at `now`. */
  use(positions: readonly Position[], rules: CacheRules, now: number): CacheUse;
  /** The first answer byte is out: what was written is readable from here on (PROTOCOLS A.2). */
  begin(use: CacheUse): void;
  clear(): void;
};

type Entry = { readonly startedAt: number; readonly lifetimeMs: number; readonly readable: boolean };

const entriesMax = 400_000;
const hourMs = 3_600_000;
const fiveMinutesMs = 300_000;

export const lifetimes = { "5m": fiveMinutesMs, "1h": hourMs, "30m": hourMs / 2, "12h": 12 * hourMs } as const;

/** Lifetimes count from the START of the request that wrote or read; at exactly their end an entry is gone. */
export function createPrefixCache(): PrefixCache {
  const entries = createEntries();
  return {
    state: entries.state,
    use(positions, rules, now) {
      const readAt = deepestRead(positions, rules, (key) => entries.state(key, now));
      // Reading a prefix reads all that stands in it, so shorter entries on the way stay alive with it.
      for (const { key } of positions.slice(0, readAt + 1)) entries.refresh(key, now);
      const kept = positions.filter(({ writeMs, tokens }) => writeMs !== null && tokens >= rules.minimumTokens);
      for (const position of kept) entries.write(position, now);
      const read = positions.slice(Math.max(0, readAt), readAt + 1);
      const readTokens = read[0]?.tokens ?? 0;
      const left = [...read, ...kept].map(({ key, tokens }) => ({ key, tokens }));
      return { readTokens, ...writesOf(kept, readTokens), left };
    },
    begin(use) {
      for (const { key } of use.left) entries.open(key);
    },
    clear: entries.clear,
  };
}

type Entries = Pick<PrefixCache, "state" | "clear"> & {
  /** Starts the lifetime of a live entry anew. */
  refresh(key: string, now: number): void;
  /** Writes, or refreshes what is there; the longer lifetime stays. */
  write(position: Position, now: number): void;
  /** Makes it readable. */
  open(key: string): void;
};

function createEntries(): Entries {
  const entries = new Map<string, Entry>();

  function state(key: string, now: number): ReturnType<PrefixCache["state"]> {
    const entry = entries.get(key);
    if (entry === undefined) return "absent";
    if (now - entry.startedAt >= entry.lifetimeMs) return "expired";
    return entry.readable ? "alive" : "pending";
  }

  /** Behind all others, so that the least recently used goes first. */
  function put(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    trim(entries, entriesMax);
  }

  return {
    state,
    refresh(key, now) {
      const entry = entries.get(key);
      if (entry !== undefined && state(key, now) === "alive") put(key, { ...entry, startedAt: now });
    },
    write({ key, writeMs }, now) {
      const before = state(key, now) === "alive" ? entries.get(key) : undefined;
      const lifetimeMs = Math.max(writeMs ?? 0, before?.lifetimeMs ?? 0);
      put(key, { startedAt: now, lifetimeMs, readable: before !== undefined });
    },
    open(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entries.set(key, { ...entry, readable: true });
    },
    clear: () => entries.clear(),
  };
}

function deepestRead(
  positions: readonly Position[],
  rules: CacheRules,
  stateOf: (key: string) => ReturnType<PrefixCache["state"]>,
): number {
  let reach = 0;
  let breakpoints = 0;
  for (let index = positions.length - 1; index >= 0; index -= 1) {
    const position = positions[index];
    if (position === undefined) continue;
    if (position.writeMs !== null) reach = rules.lookBack;
    const state = stateOf(position.key);
    if (reach > 0 && state === "alive") return index;
    if (position.writeMs !== null || position.isMarked === true || state !== "absent") breakpoints += 1;
    if (breakpoints >= rules.breakpointsMax) return -1;
    reach -= 1;
  }
  return -1;
}

/** Tokens up to the last long-lived breakpoint are written for that long, those behind it for the shorter time. */
function writesOf(
  kept: readonly Position[],
  readTokens: number,
): Pick<CacheUse, "write5mTokens" | "write1hTokens" | "writeOtherTokens" | "write12hTokens"> {
  const upTo = (lifetimeMs: number) =>
    kept
      .filter((position) => position.writeMs === lifetimeMs)
      .reduce((most, { tokens }) => Math.max(most, tokens), readTokens);
  const hour = upTo(hourMs);
  const five = Math.max(hour, upTo(fiveMinutesMs));
  const all = kept.reduce((most, { tokens }) => Math.max(most, tokens), five);
  return {
    write1hTokens: hour - readTokens,
    write5mTokens: five - hour,
    writeOtherTokens: all - five,
    write12hTokens: upTo(lifetimes["12h"]) - readTokens,
  };
}
