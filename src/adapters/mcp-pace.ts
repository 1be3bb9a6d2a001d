import type { Readable } from "node:stream";

/**
 * Hears a stream, and lets it wait after each piece that took long: who floods us with messages gets a part of our time. A large
 * answer comes in many pieces that take next to nothing, and is not held up.
 */
export function hearPaced(stream: Readable, hear: (piece: Buffer) => void): void {
  stream.on("data", (piece: Buffer) => {
    const begun = performance.now();
    hear(piece);
    if (performance.now() - begun < quickMs) return;
    stream.pause();
    // By then what its messages led to is done, and counts.
    setImmediate(() => setTimeout(() => stream.resume(), restMs(begun)));
  });
}

/** The same for a stream whose pieces are handed on, and heard behind it: to be waited for between two of them. */
export async function pace(begun: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (performance.now() - begun < quickMs) return;
  await new Promise((resolve) => setTimeout(resolve, restMs(begun)));
}

function restMs(begun: number): number {
  return Math.min(restShare * (performance.now() - begun), restMsMax);
}

const quickMs = 2;
const restShare = 3;
/** Less than is waited for the last words of a server that ended. */
const restMsMax = 250;
