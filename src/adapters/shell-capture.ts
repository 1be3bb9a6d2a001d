import type { Captured } from "../ports/shell.ts";
import type { Mask } from "../secrets/mask.ts";

/**
 * Keeps the first and the last half of a stream that may never end; the bytes between are counted. Errors stand at the
 * end of what commands print (CASES C-061), so keeping the beginning alone would lose them.
 */
export type Capture = { add(chunk: Uint8Array): void; result(): Captured };

export function createCapture(bytesMax: number): Capture {
  const headMax = Math.ceil(bytesMax / 2);
  const tailMax = bytesMax - headMax;
  const head: Uint8Array[] = [];
  let tail: Uint8Array[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytesLeftOut = 0;

  const add = (chunk: Uint8Array): void => {
    const room = Math.min(chunk.length, headMax - headBytes);
    if (room > 0) head.push(chunk.subarray(0, room));
    headBytes += room;
    if (room === chunk.length) return;
    tail.push(chunk.subarray(room));
    tailBytes += chunk.length - room;
    // Twice the room, then cut to it: the copying costs a fixed amount per byte.
    if (tailBytes > 2 * tailMax + chunk.length) shorten();
  };
  const shorten = (): void => {
    const joined = join(tail);
    const over = Math.max(0, joined.length - tailMax);
    bytesLeftOut += over;
    tail = [joined.slice(over)];
    tailBytes = joined.length - over;
  };
  const result = (): Captured => {
    shorten();
    const joinedTail = join(tail);
    if (bytesLeftOut === 0) return { head: decode(join([...head, joinedTail])), bytesLeftOut, tail: "" };
    return { head: decode(join(head)), bytesLeftOut, tail: decode(joinedTail) };
  };
  return { add, result };
}

/**
 * The same for text that must not hold secrets: masked before it is cut or shown, so that neither the cut nor the border of
 * two chunks leaves half of one (CASES C-127).
 */
export function maskedCapture(bytesMax: number, mask: Mask, onOutput: (text: string) => void): Capture {
  const capture = createCapture(bytesMax);
  const stream = mask.stream();
  const encoder = new TextEncoder();
  const take = (text: string): void => {
    if (text === "") return;
    capture.add(encoder.encode(text));
    onOutput(text);
  };
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    add: (chunk) => take(stream.push(decoder.decode(chunk, { stream: true }))),
    result: () => {
      take(stream.push(decoder.decode()) + stream.end());
      return capture.result();
    },
  };
}

/** A live reader that cannot end a command: the screen's fault ends the live output, all is captured the same. */
export function liveText(onOutput: ((text: string) => void) | undefined): (text: string) => void {
  let broken = onOutput === undefined;
  return (text) => {
    if (broken) return;
    try {
      onOutput?.(text);
    } catch {
      // ports/shell.ts says so.
      broken = true;
    }
  };
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
