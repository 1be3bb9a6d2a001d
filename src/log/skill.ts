/**
 * What a skill or a command says of tools, as rules are written. `allowed` null: all of them; [] none. What stands here was
 * read without a fault, so it can be read again.
 */
export type ToolLimits = { readonly allowed: readonly string[] | null; readonly disallowed: readonly string[] };

/** A skill or a command in force, with what it says of tools. */
export type Limited = {
  /** As people know it: `/deploy`, `skill review`. */
  readonly name: string;
  /** Its file; of a bundled one what people are told. */
  readonly file: string;
  readonly limits: ToolLimits;
  /** Whether what it lists runs unasked, too: not before its project is trusted, nor where the model chose it. */
  readonly grants: boolean;
};

export type SkillEntry =
  /** Its text is attached. `folder`: may be read while it is in use, wherever it lies; null: it has none. */
  | {
      readonly type: "skill-activated";
      readonly skill: string;
      readonly by: "user" | "model";
      readonly folder: string | null;
      readonly tokens: number;
    }
  /** A skill or a command is carried out: what it says of tools holds until the user's next turn begins. */
  | ({ readonly type: "limits-set" } & Limited);

/** `used`: by skill, since it was activated last, whether it is in force or not (`attached` says that). */
export type SkillState = {
  readonly used: Readonly<Record<string, UsedSkill>>;
  readonly limited: readonly Limited[];
};
export type UsedSkill = { readonly folder: string | null; readonly tokens: number };

export const noSkills: SkillState = { used: {}, limited: [] };

type Activated = Extract<SkillEntry, { readonly type: "skill-activated" }>;

export function skillActivated(skills: SkillState, { skill, folder, tokens }: Activated): SkillState {
  return { ...skills, used: { ...skills.used, [skill]: { folder, tokens } } };
}

export function limitsSet(skills: SkillState, { name, file, limits, grants }: Limited): SkillState {
  const others = skills.limited.filter((one) => one.name !== name);
  return { ...skills, limited: [...others, { name, file, limits, grants }] };
}

/** A message that joins the turn under way lifts nothing; nor does one that came while the turn ended. */
export function limitsLifted(skills: SkillState): SkillState {
  return skills.limited.length === 0 ? skills : { ...skills, limited: [] };
}
