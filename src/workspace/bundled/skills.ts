import type { Bundled } from "./bundled.ts";
import { commitSkill } from "./commit.ts";

/** Skills of our own, by name. */
export const bundledSkills: Readonly<Record<string, Bundled>> = { commit: commitSkill };
