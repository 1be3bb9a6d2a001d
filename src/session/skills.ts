import { touchedIn } from "../agent/knowledge.ts";
import type { Session } from "../agent/session.ts";
import { isLaned } from "../agent/skill-text.ts";
import type { FindSkills, SkillsFound } from "../ports/skills.ts";
import type { SkillCalls } from "./commands.ts";

/** Skills as commands: `/name arguments`. */
export function skillCallsOf(session: Pick<Session, "state" | "activateSkill">, find: FindSkills): SkillCalls {
  const found = () => find(touchedIn(session.state()));
  return {
    list: async () => callable(await found()),
    async call(name, typed) {
      const { skills, broken } = await found();
      const isKnown = skills.some(({ skill }) => skill.name === name) || broken.some((one) => one.name === name);
      return isKnown ? await session.activateSkill(name, typed) : null;
    },
    async laned(name) {
      const { skills } = await found();
      const skill = skills.find((one) => one.skill.name === name)?.skill;
      if (skill === undefined || !isLaned(skill) || !skill.callers.includes("user")) return null;
      return { ...skill, scope: skill.scope === "project" ? "project" : "user" };
    },
  };
}

/** Those the user may call, and why others are not run. */
export function callable({ skills, broken }: SkillsFound): Awaited<ReturnType<SkillCalls["list"]>> {
  const open = skills.filter(({ skill }) => skill.callers.includes("user"));
  return [
    ...open.map(({ skill: { name, argumentHint, description } }) => ({ name, hint: argumentHint, says: description })),
    ...broken.map(({ name, why }) => ({ name, hint: "", says: `not run: ${why}` })),
  ];
}
