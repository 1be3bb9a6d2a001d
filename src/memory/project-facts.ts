import type { EntryBody } from "../log/entry.ts";
import type { Fact, FactState } from "../log/facts.ts";
import { retiredText } from "../prompt/facts.ts";
import type { FactSetting } from "./fact-commands.ts";

/** The project's facts as this session's log has to say them too: what came since it looked last, and what has gone. */
export function mirrored(
  { active }: FactState,
  project: readonly Fact[],
  { isShown }: Pick<FactSetting, "isShown">,
): readonly EntryBody[] {
  const added = project.filter(({ id, text }) => !active.some((one) => one.id === id && one.text === text));
  const gone = active.filter(({ id, scope }) => scope === "project" && !project.some((one) => one.id === id));
  const notice: readonly EntryBody[] =
    isShown && gone.length > 0 ? [{ type: "facts-shown", text: retiredText(gone) }] : [];
  return [
    ...gone.map(({ id }): EntryBody => ({ type: "fact-retired", fact: id })),
    ...notice,
    ...added.map(({ id, text }): EntryBody => ({ type: "fact-pinned", fact: id, text, scope: "project" })),
  ];
}
