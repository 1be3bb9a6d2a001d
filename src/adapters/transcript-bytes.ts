import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { explain } from "./fs-error.ts";

/** A file of somebody else, open for reading. Nothing is written, locked or left beside it. */
export type OpenTranscript = {
  readonly type: "open";
  /** Up to the size it had when it was opened; throws at the signal. Each chunk holds until the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** What is wrong with what was read, or null. */
  close(): Promise<string | null>;
};

export type RefusedTranscript = { readonly type: "refused"; readonly why: string };

export type Reading = { readonly signal: AbortSignal; readonly onRead: (bytes: number) => void };

export async function openTranscript(
  path: string,
  { signal, onRead }: Reading,
): Promise<OpenTranscript | RefusedTranscript> {
  // Without waiting: what became a pipe after it was found would never open.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => explain(error));
  if (typeof file === "string") return { type: "refused", why: file };
  const before = await file.stat();
  if (!before.isFile()) {
    await file.close();
    return { type: "refused", why: "it is not a file" };
  }
  let fault: string | null = null;

  async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(chunkBytes);
    for (let at = 0; at < before.size; ) {
      signal.throwIfAborted();
      const length = Math.min(chunkBytes, before.size - at);
      const read = await handle.read(buffer, 0, length, at).catch((error: unknown) => explain(error));
      if (typeof read === "string") fault = read;
      if (typeof read === "string" || read.bytesRead === 0) return;
      at += read.bytesRead;
      onRead(read.bytesRead);
      yield buffer.subarray(0, read.bytesRead);
    }
  }
  return {
    type: "open",
    chunks: chunksOf(file),
    async close() {
      const after = await file.stat();
      await file.close();
      if (fault !== null) return fault;
      if (after.size < before.size) return "it became shorter while it was read";
      if (after.size > before.size) return "it grew while it was read; what came later is left out";
      return after.mtimeMs === before.mtimeMs ? null : "it was changed while it was read";
    },
  };
}

const chunkBytes = 256 * 1024;
