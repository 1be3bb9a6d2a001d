import { bounds } from "./bounds.ts";

export type Parsed = { readonly type: "ok"; readonly value: unknown } | { readonly type: "bad"; readonly why: string };

/**
 * `JSON.parse` as a value: bad input is expected at every boundary, so it is not an exception. Neither is a value nested
 * so deep that writing it again, or cutting a body that holds it, would not work.
 */
export function parseJson(text: string, levels: number = bounds.valueDepthMax): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    // A level takes at least the two brackets.
    const isDeep = text.length > 2 * levels && isTooDeep(value, levels);
    return isDeep ? { type: "bad", why: `nested deeper than ${levels} levels` } : { type: "ok", value };
  } catch (error) {
    return { type: "bad", why: error instanceof Error ? error.message : String(error) };
  }
}

export const tooDeep = `nested deeper than ${bounds.valueDepthMax} levels`;

export function isTooDeep(value: unknown, levels: number = bounds.valueDepthMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isTooDeep(part, levels - 1));
}
