import type { EntryBody } from "../log/entry.ts";
import { type CommandCall, calledText, commandEntry } from "./command-call.ts";
import type { Driver } from "./driver.ts";
import type { Refused } from "./refused.ts";

/** Prompt commands the user calls by name. `Turn`: how a turn ended. */
export type CommandChoices<Turn> = {
  /** Fills the command's text, and begins a turn with it or joins the one under way; refused, nothing was sent. */
  call(command: CommandCall): Promise<Turn | Refused>;
};

export function commandChoicesOf<Turn>(
  { lane, post }: Pick<Driver, "lane" | "post">,
  begin: (text: string, typed: string, beside: readonly EntryBody[]) => Promise<Turn>,
): { readonly choices: CommandChoices<Turn>; readonly stopFilling: () => void } {
  const filling = new Set<AbortController>();
  return {
    stopFilling: () => {
      for (const one of filling) one.abort();
    },
    choices: {
      async call(command) {
        const controller = new AbortController();
        filling.add(controller);
        try {
          const made = await commandEntry(command, { ...lane, record: post }, controller.signal);
          if (made.type === "refused") return made;
          return await begin(calledText(command), command.typed, [made.entry]);
        } finally {
          filling.delete(controller);
        }
      },
    },
  };
}
