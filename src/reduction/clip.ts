import { estimate } from "../budget/count.ts";
import type { Handle } from "../kernel/ids.ts";

/**
 * A result's text cut to `tokensMax` by keeping head and tail, with what is missing and the way to it; null where the
 * cut would not make it smaller. The last resort of law 5, when a result alone would fill the window.
 */
export function clipResult(text: string, tokensMax: number, handle: Handle): string | null {
  const tokens = estimate(text);
  if (tokens <= tokensMax) return null;
  let chars = Math.floor((text.length * Math.max(tokensMax, 1)) / tokens);
  for (;;) {
    const clipped = headAndTail(text, chars, handle);
    const size = estimate(clipped);
    if (size <= tokensMax || chars === 0) return size < tokens ? clipped : null;
    chars = Math.floor(chars / 2);
  }
}

function headAndTail(text: string, chars: number, handle: Handle): string {
  const half = Math.floor(chars / 2);
  const head = wellFormedHead(text.slice(0, half));
  const tail = wellFormedTail(text.slice(text.length - half, text.length));
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters left out; recall handle=${handle} returns all]\n${tail}`;
}

function wellFormedHead(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function wellFormedTail(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
