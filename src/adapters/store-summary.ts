import type { SessionSummary } from "../ports/store.ts";

/** Ids begin with the time of creation, so of two sessions equally new the later one stands first. */
export function newestFirst(a: SessionSummary, b: SessionSummary): number {
  return b.updatedAt - a.updatedAt || (a.session < b.session ? 1 : -1);
}

/** Characters of the first message that a list shows. */
export const titleCharsMax = 120;

/** One line; cut between characters, never inside one. */
export function titleOf(text: string): string {
  const line = text
    .slice(0, 8 * titleCharsMax)
    .trim()
    .replace(/\s+/g, " ");
  return [...line].slice(0, titleCharsMax).join("");
}
