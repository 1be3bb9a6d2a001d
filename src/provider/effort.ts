import type { Effort } from "../log/entry.ts";

const efforts: Readonly<Record<Effort, true>> = { low: true, medium: true, high: true, xhigh: true, max: true };

/** A foreign request's effort, or null where it has none that we know. */
export function effortOf(value: unknown): Effort | null {
  return typeof value === "string" && isEffort(value) ? value : null;
}

function isEffort(text: string): text is Effort {
  return Object.hasOwn(efforts, text);
}
