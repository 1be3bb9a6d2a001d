import { estimate } from "../budget/count.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Offered } from "../ports/knowledge.ts";
import type { Skill, SkillsFound } from "../ports/skills.ts";

/** What the model is told of skills before it calls one. `cuts`: what the user should know of how it was made to fit. */
export type SkillLists = { readonly lists: readonly Offered[]; readonly cuts: readonly string[] };

/**
 * One listing for what is there from the start, and one for each place that was found later; all of them within the budget.
 * The first leaves a quarter of it for those. A listing is told anew only when its names change: it is frozen (M-72).
 */
export function skillLists({ skills }: SkillsFound, tokensMax: number): SkillLists {
  const groups = Map.groupBy(skills, ({ list }) => list);
  const names = [...groups.keys()].filter((name) => name !== null).toSorted((a, b) => rank(a) - rank(b));
  const [lists, cuts]: [Offered[], string[]] = [[], []];
  let left = tokensMax;
  for (const name of names) {
    const group = (groups.get(name) ?? []).map(({ skill }) => skill);
    const { text, cut } = skillList(group, name === firstList ? Math.floor(tokensMax * 0.75) : left);
    left = Math.max(0, left - tokensOf(text));
    const hash = hashOf(group.map((skill) => skill.name).join("\n"));
    lists.push({
      kind: "skills",
      name,
      source: "skills",
      hash,
      text: `${heads(name)}\n${text}`,
    });
    if (cut !== null) cuts.push(`the ${name === firstList ? "list of skills" : name} ${cut}`);
  }
  return { lists, cuts };
}

const firstList = "list";

function rank(name: string): number {
  return name === firstList ? 0 : 1;
}

function heads(name: string): string {
  return name === firstList
    ? "Skills that can be used now, as files of the user and the project describe them. Where one fits the task, call it with the Skill tool first; its text follows."
    : `More skills, found on the way (${name}):`;
}

type SkillList = { readonly text: string; readonly cut: string | null };

/**
 * Trimmed in this order (M-55): the longest descriptions first, all to one length; below `charsMin` of them names alone;
 * then names are left out, those farthest from the folder worked in first. `skills` stand nearest first.
 */
function skillList(skills: readonly Skill[], tokensMax: number): SkillList {
  const described = skills.map((skill) => ({ skill, text: describe(skill) }));
  const whole = linesOf(described, charsMax);
  if (tokensOf(whole) <= tokensMax) return { text: whole, cut: null };
  const chars = largest(charsMin, charsMax, (one) => tokensOf(linesOf(described, one)) <= tokensMax);
  if (chars !== null) {
    const short = described.filter(({ text }) => text.length > chars).map(({ skill }) => skill.name);
    const what = `${short.length} of ${skills.length} skills (longest first, to ${chars} characters)`;
    return { text: linesOf(described, chars), cut: `shortened the descriptions of ${what}: ${few(short)}` };
  }
  const names = skills.map(({ name }) => name);
  const most = largest(0, names.length, (count) => tokensOf(namesOf(names, count)) <= tokensMax) ?? 0;
  const out = names.slice(most);
  const left = out.length === 0 ? "" : `, and left out ${out.length}: ${few(out)}`;
  return { text: namesOf(names, most), cut: `shows ${most} of ${names.length} skills by name alone${left}` };
}

/** Of description and `when_to_use` (PROTOCOLS G.4), and the least that still says what a skill is for. */
const charsMax = 1_536;
const charsMin = 40;

function describe({ description, whenToUse }: Skill): string {
  return whenToUse === "" ? description : `${description} ${whenToUse}`;
}

type Described = { readonly skill: Skill; readonly text: string };

function linesOf(described: readonly Described[], chars: number): string {
  return described
    .map(({ skill, text }) => {
      const short = text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`;
      return `- ${skill.name}: ${short}`;
    })
    .join("\n");
}

function namesOf(names: readonly string[], count: number): string {
  const left = names.length - count;
  const more = left === 0 ? "" : `\n(${left} more are not listed)`;
  return `${names.slice(0, count).join(", ")}${more}`;
}

/** The largest whole number of the range that fits; null: not even the smallest does. */
function largest(from: number, to: number, fits: (value: number) => boolean): number | null {
  let [low, high] = [from - 1, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low < from ? null : low;
}

const tokensOf = estimate;

function few(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).join(", ");
  return names.length <= namesShown ? shown : `${shown} and ${names.length - namesShown} more`;
}

const namesShown = 10;
