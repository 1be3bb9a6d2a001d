import { type Refused, refused } from "../agent/refused.ts";
import type { Session } from "../agent/session.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import type { ModelChoice } from "../log/entry.ts";
import { effortOf } from "../provider/effort.ts";
import type { CommandFile } from "../workspace/command-file.ts";
import type { LocalLane } from "./local-commands.ts";

/** Of the lane it asks for: by its context, or since another model or effort would move this one's prefix (M-42); null: none. */
export function laneModel(
  { context, model, effort }: CommandFile,
  { session, modelNamed }: { readonly session: Pick<Session, "state">; readonly modelNamed: LocalLane["modelNamed"] },
): ModelChoice | Refused | null {
  const { model: now } = session.state();
  if (now === null) return null;
  const wanted = model === null || model === "inherit" ? now : modelNamed(model);
  if ("type" in wanted) return wanted;
  const level = effort === null ? null : effortOf(effort);
  if (effort !== null && level === null) return refused(`effort ${effort}: expected low, medium, high, xhigh or max`);
  const chosen = level === null ? wanted : { ...wanted, effort: level };
  return context === "fork" || canonicalJson(chosen) !== canonicalJson(now) ? chosen : null;
}
