import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** A body up to a size, counted as it comes and again once unpacked: a small file that unpacks to a huge one is cut too. */
export async function bodyOf(
  response: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly more: boolean }> {
  const unpacked = unpack(response);
  let packedBytes = 0;
  response.on("data", (chunk: Uint8Array) => {
    packedBytes += chunk.length;
    if (packedBytes > bytesMax) unpacked.destroy();
  });
  const stop = () => unpacked.destroy(new Error("the answer was broken off"));
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of unpacked) {
      // A stream without an encoding gives bytes.
      const piece: unknown = chunk;
      if (!(piece instanceof Uint8Array)) continue;
      chunks.push(piece.subarray(0, bytesMax - bytes));
      bytes += piece.length;
      if (bytes > bytesMax) return { bytes: Buffer.concat(chunks), more: true };
    }
    return { bytes: Buffer.concat(chunks), more: packedBytes > bytesMax };
  } catch (error) {
    // We cut it ourselves: what came before is a beginning.
    if (packedBytes > bytesMax && !signal.aborted) return { bytes: Buffer.concat(chunks), more: true };
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function unpack(response: IncomingMessage): Readable {
  const unpacker = unpackers[(response.headers["content-encoding"] ?? "").trim().toLowerCase()]?.();
  if (unpacker === undefined) return response;
  response.on("error", (error) => unpacker.destroy(error));
  // A connection that breaks off in the middle is told to whoever reads the unpacked end.
  response.on("aborted", () => unpacker.destroy(new Error("the answer was broken off")));
  return response.pipe(unpacker);
}

const unpackers: { readonly [encoding: string]: () => Transform } = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
