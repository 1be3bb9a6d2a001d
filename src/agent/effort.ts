import { canonicalJson } from "../kernel/canonical.ts";
import type { Effort, EntryBody, ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig } from "./config.ts";

/** The effort in force at the end of the conversation: the newest that was said in it, else the epoch's own. */
export function effortNow({ epoch, live, waiting }: State): Effort | null {
  const said = [...live, ...waiting].findLast((piece) => piece.role === "system" && piece.block.effort !== undefined);
  return (said?.role === "system" ? said.block.effort : undefined) ?? epoch?.model.effort ?? null;
}

/** The epoch's model as it answers now. */
export function modelNow(state: State): ModelChoice | null {
  return state.epoch === null ? null : { ...state.epoch.model, effort: effortNow(state) };
}

/**
 * Another effort from here on, said in the conversation where the wire can say it, so that nothing before moves (PROTOCOLS
 * A.6, B.3). Nothing where it cannot, or where more than the effort changed: `decide` then opens an epoch that names it.
 */
export function effortReminder(
  state: State,
  next: ModelChoice,
  config: Pick<AgentConfig, "codecFor">,
): readonly EntryBody[] {
  const now = modelNow(state);
  const { effort } = next;
  if (now === null || effort === null || now.effort === effort) return [];
  if (canonicalJson({ ...now, effort }) !== canonicalJson(next)) return [];
  return config.codecFor(now.wire).abilities(now.model).effortUpdates ? [effortSaid(effort)] : [];
}

/** What a new epoch has to say again: an older word on the effort that stands in what it keeps is no longer true. */
export function effortAgain({ live }: Pick<State, "live">, { effort }: ModelChoice): readonly EntryBody[] {
  const said = live.findLast((piece) => piece.role === "system" && piece.block.effort !== undefined);
  if (said?.role !== "system" || effort === null || said.block.effort === effort) return [];
  return [effortSaid(effort)];
}

function effortSaid(effort: Effort): EntryBody {
  return { type: "reminder-added", source: "effort", text: `Effort: ${effort}.`, side: "system", effort };
}
