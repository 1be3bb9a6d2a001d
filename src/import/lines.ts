import { bounds } from "../kernel/bounds.ts";

/** One line of a file, from 1, without its end. */
export type RawLine =
  /** `cut`: the file ends in it, so it may be half of what was written. */
  | { readonly type: "whole" | "cut"; readonly line: number; readonly text: string }
  | { readonly type: "too-long"; readonly line: number; readonly bytes: number };

/**
 * Cuts bytes into lines as they come. Lines are decoded whole, so no character is split; bytes that are no UTF-8 become
 * U+FFFD. Of a line that is too long only the length is kept.
 */
export function lineSplitter() {
  const decoder = new TextDecoder("utf-8");
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let line = 0;
  const bytesMax = bounds.transcriptLineBytesMax;

  const add = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > bytesMax) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (type: "whole" | "cut"): RawLine => {
    line += 1;
    const taken: RawLine =
      bytes > bytesMax
        ? { type: "too-long", line, bytes }
        : { type, line, text: textOf(decoder, joined(parts, bytes)) };
    parts = [];
    bytes = 0;
    return taken;
  };

  return {
    push: (chunk: Uint8Array): readonly RawLine[] => {
      const lines: RawLine[] = [];
      let from = 0;
      for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
        // An empty line is counted and not given: a file may hold millions of them.
        if (at === from && bytes === 0) line += 1;
        else {
          add(chunk.subarray(from, at));
          lines.push(take("whole"));
        }
        from = at + 1;
      }
      // Copied: whoever reads a file may fill the same buffer again.
      add(chunk.slice(from));
      return lines;
    },
    end: (): readonly RawLine[] => (bytes === 0 ? [] : [take("cut")]),
  };
}

const lineEnd = 0x0a;

export function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function textOf(decoder: TextDecoder, bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
