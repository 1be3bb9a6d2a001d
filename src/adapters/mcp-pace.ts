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
    setImmediate(() => {
      const restMs = Math.min(restShare * (performance.now() - begun), restMsMax);
      setTimeout(() => stream.resume(), restMs);
    });
  });
}

const quickMs = 2;
const restShare = 3;
/** Less than is waited for the last words of a server that ended. */
const restMsMax = 250;
