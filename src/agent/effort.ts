import { canonicalJson } from "../kernel/canonical.ts";
import type { Piece } from "../log/block.ts";
import type { Effort, EntryBody, ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig } from "./config.ts";

/**
 * The effort in force at the end of the conversation: the newest that was said in it, else the epoch's own. An epoch without
 * one ends what was said before it, for no word could (`effortWordsEnded`).
 */
export function effortNow(state: State): Effort | null {
  const { epoch } = state;
  const word = effortWords(state).at(-1);
  const isEnded = epoch?.model.effort === null && word !== undefined && Number.parseInt(word.id, 10) < epoch.seq;
  return (isEnded ? undefined : word?.block.effort) ?? epoch?.model.effort ?? null;
}

type SystemPiece = Piece & { readonly role: "system" };

function effortWords({ live, waiting }: Pick<State, "live" | "waiting">): readonly SystemPiece[] {
  return [...live, ...waiting].flatMap((piece) =>
    piece.role === "system" && piece.block.effort !== undefined ? [piece] : [],
  );
}

/** What an epoch that leaves the effort to the model takes away: an older word in what it keeps would still hold. */
export function effortWordsEnded({ live }: Pick<State, "live">, { effort }: ModelChoice): readonly Piece[] {
  return effort === null ? effortWords({ live, waiting: [] }) : [];
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
export function effortAgain(state: Pick<State, "live" | "waiting">, { effort }: ModelChoice): readonly EntryBody[] {
  const word = effortWords(state).at(-1);
  return word === undefined || effort === null || word.block.effort === effort ? [] : [effortSaid(effort)];
}

function effortSaid(effort: Effort): EntryBody {
  return { type: "reminder-added", source: "effort", text: `Effort: ${effort}.`, side: "system", effort };
}
