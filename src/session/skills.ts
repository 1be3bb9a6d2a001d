import { touchedIn } from "../agent/knowledge.ts";
import type { Session } from "../agent/session.ts";
import type { FindSkills } from "../ports/skills.ts";
import type { SkillCalls } from "./commands.ts";

/** Skills as commands: `/name arguments`. */
export function skillCallsOf(session: Pick<Session, "state" | "activateSkill">, find: FindSkills): SkillCalls {
  const found = () => find(touchedIn(session.state()));
  return {
    async list() {
      const { skills, broken } = await found();
      const callable = skills.filter(({ skill }) => skill.callers.includes("user"));
      return [
        ...callable.map(({ skill: { name, argumentHint, description } }) => {
          return { name, hint: argumentHint, says: description };
        }),
        ...broken.map(({ name, why }) => ({ name, hint: "", says: `not run: ${why}` })),
      ];
    },
    async call(name, typed) {
      const { skills, broken } = await found();
      const isKnown = skills.some(({ skill }) => skill.name === name) || broken.some((one) => one.name === name);
      return isKnown ? await session.activateSkill(name, typed) : null;
    },
  };
}
