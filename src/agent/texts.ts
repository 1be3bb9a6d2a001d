import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { BlobRef, Text } from "../log/block.ts";
import type { Effects } from "./effects.ts";

/** Blob texts the running session has at hand: what it stored itself, and what was loaded when it was opened. */
export type TextCache = {
  get(hash: Hash): string | undefined;
  /** A text as an entry carries it: in place when short, else stored first. */
  keep(text: string, charsMax?: number): Promise<Text>;
  load(hashes: readonly Hash[]): Promise<void>;
  read(text: Text): Promise<string | null>;
  /** Forgets what is not named: the prompt no longer shows it, the store still has it. */
  prune(hashes: readonly Hash[]): void;
};

export function textCache(fx: Pick<Effects, "putBlob" | "getBlob">): TextCache {
  const texts = new Map<Hash, string>();
  /** Kept since the newest pruning: the entry that names such a text may still be on its way into the log. */
  const fresh = new Set<Hash>();
  const fetch = async (hash: Hash): Promise<string | null> => {
    const known = texts.get(hash);
    return known ?? (await fx.getBlob(hash));
  };
  return {
    get: (hash) => texts.get(hash),
    async keep(raw, charsMax = bounds.inlineCharsMax) {
      // A lone surrogate would not survive the store's UTF-8: what is kept must read back the same (law 7).
      const text = raw.toWellFormed();
      if (text.length <= charsMax) return text;
      const blob = await fx.putBlob(text);
      texts.set(blob, text);
      fresh.add(blob);
      const ref: BlobRef = { blob, chars: text.length };
      return ref;
    },
    async load(hashes) {
      for (const hash of hashes) {
        if (texts.has(hash)) continue;
        const text = await fx.getBlob(hash);
        if (text !== null) texts.set(hash, text);
      }
    },
    read: async (text) => (typeof text === "string" ? text : await fetch(text.blob)),
    prune(hashes) {
      const wanted = new Set(hashes);
      for (const hash of texts.keys()) if (!wanted.has(hash) && !fresh.has(hash)) texts.delete(hash);
      fresh.clear();
    },
  };
}

/** For what is only weighed: what is kept here is stored nowhere. */
export function unstored(texts: TextCache, { getBlob }: Pick<Effects, "getBlob">): TextCache {
  const own = textCache({ getBlob, putBlob: async (text) => hashOf(text) });
  return {
    ...own,
    get: (hash) => own.get(hash) ?? texts.get(hash),
    load: (hashes) => texts.load(hashes.filter((hash) => own.get(hash) === undefined)),
    read: async (text) => (typeof text === "string" ? text : (texts.get(text.blob) ?? (await own.read(text)))),
  };
}
