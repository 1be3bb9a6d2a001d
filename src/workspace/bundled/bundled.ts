import type { Skill, SkillPlace } from "../../ports/skills.ts";

/** A skill of our own: made here and not read from a file, so that a session without skills reads none and parses nothing. */
export type Bundled = Omit<Skill, keyof SkillPlace>;

export function bundled(said: {
  readonly description: string;
  readonly whenToUse: string;
  readonly argumentHint: string;
  readonly allowed: readonly string[];
  readonly body: string;
}): Bundled {
  const { allowed, body, ...rest } = said;
  return {
    ...rest,
    body,
    text: body,
    limits: { allowed, disallowed: [] },
    paths: null,
    callers: ["model", "user"],
    argumentNames: [],
    context: "inline",
    model: null,
    effort: null,
    agent: null,
  };
}
