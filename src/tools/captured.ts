import type { Captured } from "../ports/shell.ts";

/** The kept parts of a stream as one text that says what is not in it. */
export function capturedText({ head, bytesLeftOut, tail }: Captured): string {
  if (bytesLeftOut === 0) return head;
  return `${head}\n[… ${bytesLeftOut} bytes were not kept: a call keeps the beginning and the end of its output …]\n${tail}`;
}
