import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { type Attached, type Attachment, type AttachmentEntry, attachmentKey } from "../log/attached.ts";
import type { AttachedLimits } from "../log/skill.ts";
import type { State } from "../log/state.ts";
import type { FoundSkill, Skill, SkillsFound } from "../ports/skills.ts";
import { reminderText } from "../prompt/context.ts";
import type { SkillCalls } from "../tools/tool.ts";
import { expandTemplate } from "../workspace/template.ts";
import { isInForce } from "./attach.ts";
import { touchedIn } from "./knowledge.ts";
import { type FillLane, filled } from "./placeholders.ts";
import { type Refused, refused } from "./refused.ts";
import { isLaned, skillFrame, skillPart } from "./skill-text.ts";

export type SkillAsked = { readonly skill: string; readonly typed: string; readonly by: "model" | "user" };

/** `says`: what came of it, in a sentence. */
export type Activated = { readonly type: "ok"; readonly entries: readonly AttachmentEntry[]; readonly says: string };

/** Its text, filled, as a block of its own; nothing is sent twice that stands in the prompt (M-72). */
export async function activated(asked: SkillAsked, lane: FillLane, signal: AbortSignal): Promise<Activated | Refused> {
  const find = lane.fx.knowledge?.skills;
  if (find === undefined) return refused("there are no skills here");
  const found = chosen(asked, await find(touchedIn(lane.state())));
  if (found.type === "refused") return found;
  const { skill } = found;
  if (isLaned(skill))
    lane.fx.note(
      `skill ${skill.name} asks for a lane of its own: it has one where the user calls it as /${skill.name}`,
    );
  const limits: AttachedLimits = { ...skill.limits, grants: await grants(found, asked, lane) };
  const text = await textOf(skill, asked, limits, lane, signal);
  if (text.type === "refused") return text;
  return await attached(skill, { asked, text: text.text, limits }, lane);
}

/** What the Skill tool asks for in the middle of a turn. */
export function skillCalls(lane: FillLane, signal: AbortSignal): SkillCalls {
  return {
    async activate(skill, typed) {
      const answer = await activated({ skill, typed, by: "model" }, lane, signal);
      if (answer.type === "refused") return { type: "failed", why: answer.why };
      return { type: "done", says: answer.says, entries: answer.entries };
    },
    finish(skill) {
      const answer = finished(skill, lane.state());
      if (answer.type === "refused") return { type: "failed", why: answer.why };
      return { type: "done", says: answer.says, entries: answer.entries };
    },
  };
}

/** Its text leaves at the next epoch; what came of it stays (M-73). */
export function finished(skill: string, state: State): Activated | Refused {
  const one = state.attached[attachmentKey({ kind: "skill", name: skill })];
  if (one === undefined || !isInForce(one, state)) return refused(`skill ${skill} is not in use`);
  const entry: AttachmentEntry = { type: "attachment-ended", kind: "skill", name: skill, why: "finished" };
  return { type: "ok", entries: [entry], says: `Skill ${skill} is finished: its text no longer holds.` };
}

/** Folders that may be read beside the workspace: those of skills in use, in a lane of their own as well. */
export function lentFolders(state: State): readonly string[] {
  const inUse = Object.values(state.attached).filter((one) => isInForce(one, state));
  return inUse.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
}

export function skillsInUse(state: State): readonly Attached[] {
  return Object.values(state.attached).filter((one) => one.kind === "skill" && isInForce(one, state));
}

type Chosen = ({ readonly type: "ok" } & FoundSkill) | Refused;

function chosen({ skill: name, by }: SkillAsked, { skills, broken }: SkillsFound): Chosen {
  const fault = broken.find((one) => one.name === name);
  if (fault !== undefined) return refused(`skill ${name} cannot be run until its file is mended: ${fault.why}`);
  const found = skills.find(({ skill }) => skill.name === name);
  if (found === undefined) return refused(`there is no skill ${JSON.stringify(name)}; ${known(skills, by)}`);
  const { callers, paths } = found.skill;
  if (by === "user" && !callers.includes("user"))
    return refused(`skill ${name} is for the model alone (user-invocable: false)`);
  if (by === "model" && !callers.includes("model"))
    return refused(`skill ${name} is the user's to call (disable-model-invocation); ask for /${name}`);
  if (by === "model" && found.list === null)
    return refused(`skill ${name} is for files that match ${paths?.join(", ")}, and none was read or written yet`);
  return { type: "ok", ...found };
}

function known(skills: readonly FoundSkill[], by: SkillAsked["by"]): string {
  const names = skills.filter(({ skill, list }) => skill.callers.includes(by) && (by === "user" || list !== null));
  const shown = names.slice(0, namesShown).map(({ skill }) => skill.name);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return `there are: ${shown.join(", ")}${more}`;
}

const namesShown = 30;

async function textOf(
  skill: Skill,
  { typed }: SkillAsked,
  { grants, ...limits }: AttachedLimits,
  lane: FillLane,
  signal: AbortSignal,
): Promise<{ readonly type: "ok"; readonly text: string } | Refused> {
  const { name, file, argumentNames: names } = skill;
  const expanded = expandTemplate(skill.body, { typed, names, variables: variablesOf(skill, lane) });
  if (expanded.type === "bad") return refused(`skill ${name} was not begun: ${expanded.why}`);
  const limited = [{ name: `skill ${name}`, file, limits, grants }];
  return await filled(expanded.parts, { command: `/${name}`, limited }, lane, signal);
}

function variablesOf({ folder }: Skill, { state, config }: FillLane): Readonly<Record<string, string>> {
  const { started, model } = state();
  return {
    PROJECT_DIR: config.cwd,
    ...(started === null ? {} : { SESSION_ID: started.session }),
    ...(folder === null ? {} : { SKILL_DIR: folder }),
    ...(model?.effort == null ? {} : { EFFORT: model.effort }),
  };
}

/**
 * A model cannot give itself rights by calling a skill, nor a stranger's project by having one. What the user let run for
 * this turn by the same call, it does not take back either.
 */
async function grants({ skill, frees }: FoundSkill, { by }: SkillAsked, { fx, state }: FillLane): Promise<boolean> {
  const { limits, file } = skill;
  if (limits.allowed === null || limits.allowed.length === 0) return false;
  if (by === "model") return isGranted(skill, state());
  if (await frees()) return true;
  fx.note(
    `${file} was not approved: what it allows is asked for; see and approve it with \`varve trust\`, or for one run with --trust-project`,
  );
  return false;
}

function isGranted({ name, file, limits }: Skill, { attached: all, turns }: State): boolean {
  const before = all[attachmentKey({ kind: "skill", name })];
  if (before?.limits === undefined || before.source !== file || before.usedTurn < turns) return false;
  const said = ({ allowed, disallowed }: Skill["limits"]) => JSON.stringify([allowed, disallowed]);
  return before.limits.grants && said(before.limits) === said(limits);
}

type Filled = { readonly asked: SkillAsked; readonly text: string; readonly limits: AttachedLimits };

/** All in use stay within one budget (M-55): of one that is too long for what is left, its beginning. */
async function attached(skill: Skill, { asked, text, limits }: Filled, lane: FillLane): Promise<Activated | Refused> {
  const { name, file, folder } = skill;
  const state = lane.state();
  const hash = hashOf(text);
  const before = skillsInUse(state).find((one) => one.name === name);
  if (before?.hash === hash && before.limits?.grants === limits.grants)
    return {
      type: "ok",
      entries: [{ type: "attachments-used", names: [{ kind: "skill", name }] }],
      says: `Skill ${name} is in use already: go by its text above.`,
    };
  const others = skillsInUse(state).filter((one) => one.name !== name);
  const left = bounds.skillsTokensMax - (await tokensOf(others, lane));
  const part = skillPart(text, left, file);
  if (part === null) {
    const names = others.map((one) => one.name).join(", ");
    return refused(`skill ${name} does not fit beside ${names}: declare finished what is done with`);
  }
  if (part.tokens > bounds.skillTokensUsual)
    lane.fx.note(`skill ${name}: its text has ${part.tokens} tokens, more than ${bounds.skillTokensUsual} (${file})`);
  if (part.cut !== null) lane.fx.note(`skill ${name}: ${part.cut}`);
  const inFolder = folder === null ? {} : { folder };
  const said = skill.scope === "bundled" && lane.config.assembly === "boundary" ? ownSection(skill, asked) : null;
  const shown = said ?? { text: await lane.texts.keep(reminderText(skillFrame(skill, asked, part.text))) };
  const attachment: Attachment = { kind: "skill", name, source: file, hash, ...shown, limits, ...inFolder };
  const says = `Skill ${name} is in use: its text follows.${part.cut === null ? "" : ` ${part.cut}`}`;
  return { type: "ok", entries: [{ type: "text-attached", attachment }], says };
}

/** Our own words without a word of anybody else: what was typed stands in the message (DESIGN 4, Trust). */
function ownSection({ body }: Skill, { by }: SkillAsked): Pick<Attachment, "text" | "side"> | null {
  if (by === "model" || body.length > bounds.inlineCharsMax) return null;
  return { text: `The user calls this; carry it out:\n${body}`, side: "system" };
}

async function tokensOf(skills: readonly Attached[], { texts }: FillLane): Promise<number> {
  const read = await Promise.all(skills.map(({ text }) => texts.read(text)));
  return read.reduce((sum, text) => sum + estimate(text ?? ""), 0);
}
