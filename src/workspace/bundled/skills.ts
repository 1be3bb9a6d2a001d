import { commitSkill } from "./commit.ts";

/** Skills of our own, by name. */
export const bundledSkills: Readonly<Record<string, string>> = { commit: commitSkill };
