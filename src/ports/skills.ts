import type { ToolLimits } from "../log/skill.ts";

/** Whose words a skill is: ours, the user's own, or the project's, which may be a stranger's. */
export type SkillScope = "bundled" | "user" | "project";

/** Where a skill's file lies. */
export type SkillPlace = {
  /** The folder's own name. */
  readonly name: string;
  /** Absolute path of its file; of a bundled one what people are told. */
  readonly file: string;
  /** Absolute, free of links; null: it is bundled, and has no files beside it. */
  readonly folder: string | null;
  readonly scope: SkillScope;
  /** What its `paths` are relative to: the project's folder, or the sub-directory it belongs to. */
  readonly base: string;
};

export type Skill = SkillPlace & {
  readonly description: string;
  readonly whenToUse: string;
  readonly body: string;
  /** The whole file. */
  readonly text: string;
  readonly limits: ToolLimits;
  /** Files it is for: the model is offered it once one was touched. null: it is offered at once. */
  readonly paths: readonly string[] | null;
  /** Who may call it. */
  readonly callers: readonly ("model" | "user")[];
  readonly argumentHint: string;
  readonly argumentNames: readonly string[];
  /** `fork`: a lane of its own, and what it differs in. */
  readonly context: "inline" | "fork";
  readonly model: string | null;
  readonly effort: string | null;
  readonly agent: string | null;
};

/**
 * `list`: the listing that offers it to the model: "list", or "list of packages/api" where it was found because something
 * there was touched. null: it is not offered.
 */
export type FoundSkill = {
  readonly skill: Skill;
  readonly list: string | null;
  /** Whether what it lists may run unasked where the user calls it: a project's must have been approved, this very text. */
  frees(): Promise<boolean>;
};

/** Nearest first; of one name the nearest. */
export type SkillsFound = {
  /** `some`: the look was cut short, which a note says. */
  readonly type: "all" | "some";
  readonly skills: readonly FoundSkill[];
  /** Not to be run: what they are limited to cannot be told (CASES C-095). `why` names file and line, and what to do. */
  readonly broken: readonly { readonly name: string; readonly why: string }[];
  readonly notes: readonly string[];
};

/** The skills that apply where the session works; `touched`: files it read or wrote, absolute paths. Never fails. */
export type FindSkills = (touched: readonly string[]) => Promise<SkillsFound>;
