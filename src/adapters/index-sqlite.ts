import { setImmediate } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { plainText } from "../kernel/plain-text.ts";
import { charsOfText } from "../log/block.ts";
import type { Index } from "../ports/index-port.ts";
import type { Archive, Archived } from "./index-archive.ts";
import { findIn } from "./index-find.ts";
import { searchable, searchedAmong } from "./index-scan.ts";
import { type IndexFile, withIndexFile } from "./index-sqlite-file.ts";
import { candidatesIn } from "./index-sqlite-words.ts";

/**
 * Finds candidates with a full-text index beside the logs. The file is a shortcut and never the truth: rows are named by
 * handles, which are hashes of content, so that it cannot be out of date, only behind; what it names is compared with the
 * words itself; what it lacks is read. It is opened for one search at a time: deleted, damaged or locked by another process,
 * the worst is a slower search.
 */
export function sqliteIndex(archive: Archive, path: string): Index {
  return {
    find: (handle) => findIn(archive, handle),
    search: async (words, range, signal) => {
      const all = await searchable(archive);
      const found = await withIndexFile(path, async (file) => {
        await addMissing(file, all, archive, signal);
        return candidatesIn(file, all, words);
      });
      const asked = found ?? { candidates: all, held: null, leftOut: 0 };
      return await searchedAmong({ archive, words, range, signal, total: all.length, ...asked });
    },
  };
}

/** One transaction: short enough that nobody waits for it. */
const batchChars = 512 * 1024;

/** Adds what the logs have more than the index, in short transactions, each of them whole whatever happens in between. */
async function addMissing(
  file: IndexFile,
  all: readonly Archived[],
  archive: Archive,
  signal: AbortSignal,
): Promise<void> {
  const known = file.handles();
  const missing = all.filter(({ handle, text }) => !known.has(handle) && charsOfText(text) <= bounds.indexCharsMax);
  let left = bounds.indexSearchCharsMax;
  let batch: { readonly handle: string; readonly plain: string }[] = [];
  let chars = 0;
  // The newest first: should it be more than one search may add, the oldest are read a while longer.
  for (const one of missing.toReversed()) {
    if (signal.aborted || left < 0) break;
    const text = await archive.read(one);
    if (text === null) continue;
    const plain = plainText(`${one.tool} ${one.title}\n${text}`);
    batch.push({ handle: one.handle, plain });
    chars += plain.length;
    left -= plain.length;
    if (chars < batchChars) continue;
    if (!file.add(batch)) return;
    [batch, chars] = [[], 0];
    await setImmediate();
  }
  file.add(batch);
}
