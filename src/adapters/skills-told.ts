import { bounds } from "../kernel/bounds.ts";
import type { LookAt, Told } from "../ports/knowledge.ts";
import type { FindSkills } from "../ports/skills.ts";
import { reminderText } from "../prompt/context.ts";
import { skillLists } from "../workspace/skill-list.ts";

/** The listings of skills, for the conversation. */
export function skillsTold(find: FindSkills, windowTokens: () => number): (at: LookAt) => Promise<Told> {
  return async ({ touched }) => {
    const found = await find(touched);
    const share = Math.floor((windowTokens() * bounds.skillListWindowPercentMax) / 100);
    const { lists, cuts } = skillLists(found, Math.min(bounds.skillListTokensMax, share));
    const covers = found.type === "all" ? (["skills"] as const) : [];
    const attachments = lists.map((list) => ({ ...list, text: reminderText(list.text) }));
    return { attachments, covers, notes: [...found.notes, ...cuts] };
  };
}
