import { bounds } from "../kernel/bounds.ts";
import type { SessionSummary } from "../ports/store.ts";

/** Ids begin with the time of creation, so of two sessions equally new the later one stands first. */
export function newestFirst(a: SessionSummary, b: SessionSummary): number {
  return b.updatedAt - a.updatedAt || (a.session < b.session ? 1 : -1);
}

/** One line; cut between characters, never inside one. */
export function titleOf(text: string): string {
  const line = text
    .slice(0, 8 * bounds.titleCharsMax)
    .trim()
    .replace(/\s+/g, " ");
  return [...line].slice(0, bounds.titleCharsMax).join("");
}
