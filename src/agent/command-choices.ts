import type { EntryBody } from "../log/entry.ts";
import { type CommandCall, calledText, commandEntry } from "./command-call.ts";
import type { Driver } from "./driver.ts";
import type { FillLane } from "./placeholders.ts";
import { type Refused, refused, stopped } from "./refused.ts";
import type { SessionHooks } from "./session-hooks.ts";
import { activated, finished } from "./skills.ts";

/** Prompt commands and skills the user calls by name. `Turn`: how a turn ended. */
export type CommandChoices<Turn> = {
  /** Fills the command's text, and begins a turn with it or joins the one under way; refused, nothing was sent. */
  call(command: CommandCall): Promise<Turn | Refused>;
  /** The same with a skill. `typed`: its arguments, as typed. */
  activateSkill(skill: string, typed: string): Promise<Turn | Refused>;
  /** The user's word that it is done with: its text leaves with the next epoch. null: done. */
  finishSkill(skill: string): Promise<Refused | null>;
};

type Made = { readonly type: "ok"; readonly entries: readonly EntryBody[] } | Refused;

export function commandChoicesOf<Turn>(
  { lane, post, state }: Pick<Driver, "lane" | "post" | "state">,
  begin: (text: string, typed: string, beside: readonly EntryBody[]) => Promise<Turn>,
  { expansion }: Pick<SessionHooks, "expansion">,
): { readonly choices: CommandChoices<Turn>; readonly stopFilling: () => void } {
  const filling = new Set<AbortController>();
  /** `name` and `typed` as the message says them. */
  const called = async (
    said: Pick<CommandCall, "name" | "typed">,
    make: (lane: FillLane, signal: AbortSignal) => Promise<Made>,
  ) => {
    const controller = new AbortController();
    filling.add(controller);
    try {
      const told = await expansion(said);
      // Stored whatever becomes of the command: their beginnings are.
      if (told.entries.length > 0) await post(told.entries);
      const made =
        told.type === "kept-back" ? refused(told.why) : await make({ ...lane, record: post }, controller.signal);
      if (made.type !== "refused" && controller.signal.aborted)
        return stopped(`/${said.name} was not sent: it was interrupted`);
      return made.type === "refused" ? made : await begin(calledText(said), said.typed, made.entries);
    } finally {
      filling.delete(controller);
    }
  };
  return {
    stopFilling: () => {
      for (const one of filling) one.abort();
    },
    choices: {
      call: (command) =>
        called(command, async (at, signal) => {
          const made = await commandEntry(command, at, signal);
          return made.type === "refused" ? made : { type: "ok", entries: [made.entry] };
        }),
      activateSkill: (skill, typed) =>
        called({ name: skill, typed }, (at, signal) => activated({ skill, typed, by: "user" }, at, signal)),
      async finishSkill(skill) {
        const made = finished(skill, state());
        if (made.type === "refused") return made;
        await post(made.entries);
        return null;
      },
    },
  };
}
