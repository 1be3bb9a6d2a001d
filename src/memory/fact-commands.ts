import type { FactId } from "../kernel/ids.ts";
import type { EntryBody, FactScope } from "../log/entry.ts";
import type { Fact, FactState } from "../log/facts.ts";
import { capFault, factWords, notices } from "./facts.ts";

/** What the user may do about facts. Ids may be given by a beginning that only one has. */
export type FactCommand =
  | { readonly type: "pin"; readonly text: string; readonly scope: FactScope }
  | { readonly type: "retire"; readonly fact: string }
  | { readonly type: "merge"; readonly facts: readonly string[]; readonly text: string; readonly scope?: FactScope }
  | { readonly type: "accept"; readonly fact: string; readonly scope: FactScope }
  | { readonly type: "refuse"; readonly fact: string };

/** The entries that carry it out, in the session's log and in the project's stream, and a line for the user. */
export type FactChange =
  | {
      readonly type: "changed";
      readonly session: readonly EntryBody[];
      readonly project: readonly EntryBody[];
      readonly said: string;
    }
  | { readonly type: "refused"; readonly why: string };

/** All that the decision needs besides the facts. `isShown`: the model has been shown something, so it is told of an end. */
export type FactSetting = { readonly windowTokens: number | null; readonly isShown: boolean };

/** Pure: the same for a session that runs and for a log at rest. */
export function factChange(facts: FactState, command: FactCommand, setting: FactSetting): FactChange {
  // Correlated union: the row of `command.type` takes exactly this command.
  const change = changes[command.type] as (facts: FactState, command: FactCommand, setting: FactSetting) => FactChange;
  return change(facts, command, setting);
}

type Change<T extends FactCommand["type"]> = (
  facts: FactState,
  command: Extract<FactCommand, { readonly type: T }>,
  setting: FactSetting,
) => FactChange;

const changes: { readonly [T in FactCommand["type"]]: Change<T> } = {
  pin: ({ active }, { text, scope }, setting) => pin(active, text, scope, setting),
  accept({ active, proposed }, { fact, scope }, setting) {
    const found = named(proposed, fact);
    if (typeof found === "string") return refused(`no proposal ${found}`);
    return pin(active, found.text, scope, setting);
  },
  refuse({ proposed }, { fact }) {
    const found = named(proposed, fact);
    if (typeof found === "string") return refused(`no proposal ${found}`);
    const session: readonly EntryBody[] = [{ type: "fact-refused", fact: found.id }];
    return { type: "changed", session, project: [], said: `${found.id} refused; it will not be proposed again` };
  },
  retire({ active }, { fact }, { isShown }) {
    const found = named(active, fact);
    if (typeof found === "string") return refused(`no fact ${found}`);
    const entry: EntryBody = { type: "fact-retired", fact: found.id };
    const project = found.scope === "project" ? [entry] : [];
    return { type: "changed", session: [entry, ...notices([found], isShown)], project, said: `${found.id} retired` };
  },
  merge: ({ active }, command, setting) => merge(active, command, setting),
};

function pin(active: readonly Fact[], given: string, scope: FactScope, { windowTokens }: FactSetting): FactChange {
  const words = factWords(given);
  if (words.type === "bad") return refused(words.why);
  const known = active.find(({ id }) => id === words.id);
  const isWider = known?.scope === "session" && scope === "project";
  if (known !== undefined && !isWider) return refused(`this is in force already, as ${known.id}: ${known.text}`);
  // In wider force it is the same fact, by the words it has.
  const { id, text } = known ?? words;
  const fault = known === undefined ? capFault(active, text, windowTokens) : null;
  if (fault !== null) return refused(fault);
  const entry: EntryBody = { type: "fact-pinned", fact: id, text, scope };
  const said = `${id} pinned${scope === "project" ? " for the project" : ""}`;
  return { type: "changed", session: [entry], project: scope === "project" ? [entry] : [], said };
}

/** One for several: those retire with it, and count no more when the room for it is looked at. */
function merge(
  active: readonly Fact[],
  { facts, text, scope }: Extract<FactCommand, { readonly type: "merge" }>,
  setting: FactSetting,
): FactChange {
  const found = facts.map((fact) => named(active, fact));
  const missing = found.find((one) => typeof one === "string");
  if (missing !== undefined) return refused(`no fact ${missing}`);
  const old = [...new Set(found.filter((one) => typeof one !== "string"))];
  if (old.length < 2) return refused("a merge takes two facts or more and their common words");
  const rest = active.filter((fact) => !old.includes(fact));
  const isProject = old.some((fact) => fact.scope === "project");
  const pinned = pin(rest, text, scope ?? (isProject ? "project" : "session"), setting);
  if (pinned.type === "refused") return pinned;
  const ids = (list: readonly Fact[]) => list.map(({ id }): EntryBody => ({ type: "fact-retired", fact: id }));
  return {
    type: "changed",
    session: [...ids(old), ...notices(old, setting.isShown), ...pinned.session],
    project: [...ids(old.filter((fact) => fact.scope === "project")), ...pinned.project],
    said: `${pinned.said} in the place of ${old.map(({ id }) => id).join(", ")}`,
  };
}

/** The one whose id begins so, or the id with what is wrong about it. */
function named<T extends { readonly id: FactId }>(list: readonly T[], given: string): T | string {
  const found = list.filter(({ id }) => given !== "" && id.startsWith(given));
  const [first] = found;
  if (first === undefined) return `"${given.slice(0, 40)}"; varve facts lists them`;
  return found.length > 1 ? `"${given}" alone: ${found.length} begin so` : first;
}

function refused(why: string): FactChange {
  return { type: "refused", why };
}
