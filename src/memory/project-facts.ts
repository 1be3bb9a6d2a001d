import type { EntryBody } from "../log/entry.ts";
import type { Fact, FactState } from "../log/facts.ts";
import type { FactSetting } from "./fact-commands.ts";
import { notices } from "./facts.ts";

/** The project's facts as this session's log has to say them too: what came since it looked last, and what has gone. */
export function mirrored(
  { active }: FactState,
  project: readonly Fact[],
  { isShown }: Pick<FactSetting, "isShown">,
): readonly EntryBody[] {
  const added = project.filter(({ id, text }) => !active.some((one) => one.id === id && one.text === text));
  const gone = active.filter(({ id, scope }) => scope === "project" && !project.some((one) => one.id === id));
  return [
    ...gone.map(({ id }): EntryBody => ({ type: "fact-retired", fact: id })),
    ...notices(gone, isShown),
    ...added.map(({ id, text }): EntryBody => ({ type: "fact-pinned", fact: id, text, scope: "project" })),
  ];
}
