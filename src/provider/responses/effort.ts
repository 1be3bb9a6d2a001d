import type { Effort } from "../../log/entry.ts";

/** What this wire calls an effort; its models' highest that all take is `xhigh`. */
export function effortName(effort: Effort): string {
  return effort === "max" ? "xhigh" : effort;
}
