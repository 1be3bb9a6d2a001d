import { brand, type CallId } from "../kernel/ids.ts";

/**
 * Gives every call of a message an id of its own: the provider's as `legal` writes it, unless it is empty, already used
 * in this message or known from an earlier one (`isTaken`); then a new one (CASES C-023).
 */
export function callIds(
  newToken: () => string,
  isTaken: (id: string) => boolean,
  legal: (id: string) => string = (id) => id,
): (id: string) => CallId {
  const used = new Set<string>();
  return (id) => {
    let chosen = id === "" || isTaken(id) ? "" : legal(id);
    while (chosen === "" || used.has(chosen) || isTaken(chosen)) chosen = newToken();
    used.add(chosen);
    return brand(chosen);
  };
}

export const nothingTaken = (_id: string): boolean => false;

/** A tool's name as providers take it back, which a model may have made up: letters, digits, `_` and `-`, so many at most. */
export function legalToolName(name: string, charsMax: number): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, charsMax);
  return legal === "" ? "unnamed" : legal;
}
