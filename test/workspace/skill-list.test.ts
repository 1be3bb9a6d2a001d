import { expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import type { FoundSkill, SkillsFound } from "../../src/ports/skills.ts";
import { skillLists } from "../../src/workspace/skill-list.ts";

function found(skills: readonly FoundSkill[]): SkillsFound {
  return { type: "all", skills, broken: [], notes: [] };
}

function skill(name: string, description: string, list: string | null = "list"): FoundSkill {
  return {
    list,
    frees: async () => true,
    skill: {
      name,
      description,
      text: "",
      ...{ file: `/s/${name}/SKILL.md`, folder: `/s/${name}`, scope: "user", base: "/w", whenToUse: "", body: "" },
      ...{ limits: { allowed: null, disallowed: [] }, paths: null, callers: ["model", "user"], argumentHint: "" },
      ...{ argumentNames: [], context: "inline", model: null, effort: null, agent: null },
    },
  };
}

const words = (count: number) => "what it is for ".repeat(count).trim();

test("all of it where it fits, and nothing is said of cuts", () => {
  const { lists, cuts } = skillLists(found([skill("a", "A."), skill("b", "B.")]), 1_000);
  expect(lists).toHaveLength(1);
  expect(lists[0]).toMatchObject({ kind: "skills", name: "list" });
  expect(lists[0]?.text).toContain("- a: A.\n- b: B.");
  expect(cuts).toEqual([]);
});

test("the longest descriptions are shortened first, to one length; short ones stay whole", () => {
  const all = [skill("long-one", words(90)), skill("long-two", words(60)), skill("short", "Is short.")];
  const { lists, cuts } = skillLists(found(all), 300);
  const lines = lists[0]?.text.split("\n").filter((line) => line.startsWith("- ")) ?? [];
  expect(lines[2]).toBe("- short: Is short.");
  expect(lines[0]?.length).toBe(lines[1]?.length);
  expect(cuts).toEqual([expect.stringMatching(/shortened the descriptions of 2 of 3 skills .*long-one, long-two/)]);
});

test("1,500 skills: names alone, then fewer of them, the farthest left out; the user is told how many", () => {
  const many = Array.from({ length: 1_500 }, (_, at) => skill(`skill-number-${at}`, words(20)));
  const { lists, cuts } = skillLists(found(many), 4_000);
  expect(estimate(lists[0]?.text ?? "")).toBeLessThanOrEqual(4_000);
  expect(lists[0]?.text).toContain("skill-number-0, skill-number-1,");
  expect(lists[0]?.text).toMatch(/\(\d+ more are not listed\)/);
  expect(cuts[0]).toMatch(/shows \d+ of 1500 skills by name alone, and left out \d+: skill-number-\d+/);
});

test("what is found later is listed by itself, within what the first left", () => {
  const all = [skill("deep", words(80), "list of sub"), skill("a", words(80)), skill("b", words(80))];
  const { lists } = skillLists(found(all), 400);
  expect(lists.map(({ name }) => name)).toEqual(["list", "list of sub"]);
  expect(lists[1]?.text).toContain("- deep: ");
  const body = (at: number) => estimate(lists[at]?.text.split("\n").slice(1).join("\n") ?? "");
  expect(body(0) + body(1)).toBeLessThanOrEqual(400);
});

test("what is not offered is in no list, and a list is new only when its names are", () => {
  const first = skillLists(found([skill("a", "A."), skill("hidden", "H.", null)]), 1_000).lists;
  expect(first[0]?.text).not.toContain("hidden");
  const again = skillLists(found([skill("a", "Other words.")]), 1_000).lists;
  expect(again[0]?.hash).toBe(first[0]?.hash);
  expect(skillLists(found([skill("a", "A."), skill("b", "B.")]), 1_000).lists[0]?.hash).not.toBe(first[0]?.hash);
});
