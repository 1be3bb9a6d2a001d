import { type FactChange, type FactCommand, factChange } from "../memory/fact-commands.ts";
import type { AgentConfig } from "./config.ts";
import type { Driver } from "./driver.ts";
import type { Effects } from "./effects.ts";
import { projectNews, settingOf } from "./facts.ts";

/** What the user does about facts in an open session. */
export type FactChoices = {
  /** Carries it out, or says why not; nothing throws but what cannot be written. */
  changeFacts(command: FactCommand): Promise<FactChange>;
};

export function factChoicesOf(
  { state, post }: Pick<Driver, "state" | "post">,
  inTurn: <T>(take: () => Promise<T>) => Promise<T>,
  config: Pick<AgentConfig, "windowFor">,
  fx: Pick<Effects, "projectFacts" | "changeProjectFacts">,
): FactChoices {
  return {
    changeFacts: (command) =>
      inTurn(async () => {
        const news = await projectNews(state(), fx);
        if (news.length > 0) await post(news);
        const change = factChange(state().facts, command, settingOf(state(), config));
        if (change.type === "refused") return change;
        // The project first: what a crash leaves undone here is taken over with the next message.
        const fault = change.project.length === 0 ? null : await fx.changeProjectFacts(change.project);
        if (fault !== null) return { type: "refused", why: fault };
        await post(change.session);
        return change;
      }),
  };
}
