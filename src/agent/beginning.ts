import { bounds } from "../kernel/bounds.ts";
import type { EntryBody, TurnEnd } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig } from "./config.ts";
import type { Driver } from "./driver.ts";
import type { Effects } from "./effects.ts";
import { newsOf, proposedIn } from "./news.ts";
import { closingOf } from "./recover.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { createTasks } from "./tasks.ts";
import type { TextCache } from "./texts.ts";

/** How a turn ended. `text` is what the assistant said last. */
export type TurnResult = { readonly reason: TurnEnd; readonly detail: string; readonly text: string };

/** Takes a message and runs its turn. `beside`: blocks that stand in front of it. */
export function beginning(
  driver: Driver,
  { config, fx, texts, tasks, hooks, inTurn }: Beginning,
): (text: string, typed: string, beside: readonly EntryBody[]) => Promise<TurnResult> {
  const { assembly, serverTools } = config;
  let isFirst = true;
  return async (text, typed, beside) => {
    const taken = await inTurn(async () => {
      await closeOpenTurn(driver);
      await tasks.store();
      const before = driver.state().seq;
      const told = await hooks.message(text);
      if (told.type === "kept-back") {
        if (told.entries.length > 0) await driver.post(told.entries);
        return told;
      }
      // Servers started with the session, new or gone on with: most are up in a moment.
      if (isFirst) await fx.servers?.settled(bounds.serversWaitMsMax);
      isFirst = false;
      await driver.post([
        ...told.entries,
        ...(await newsOf(driver.state(), fx, { ...{ assembly, serverTools }, texts, message: text })),
        ...beside,
        { type: "message-added", text: await texts.keep(text) },
        ...proposedIn(driver.state(), typed),
      ]);
      return before;
    });
    if (typeof taken !== "number") return { reason: taken.reason, detail: taken.why, text: "" };
    await driver.run();
    return await resultOf(driver.state(), taken, texts);
  };
}

type Beginning = {
  readonly config: AgentConfig;
  readonly fx: Effects;
  readonly texts: TextCache;
  readonly tasks: Pick<ReturnType<typeof createTasks>, "store">;
  readonly hooks: SessionHooks;
  /** What comes from outside is taken one after another. */
  readonly inTurn: <T>(take: () => Promise<T>) => Promise<T>;
};

/**
 * What a restart or an error left open. An interrupted turn ends first; of any other the results that could not be
 * stored are stored by the next run, and the calls that never ran are closed.
 */
async function closeOpenTurn(driver: Driver): Promise<void> {
  if (driver.active()) return;
  if (driver.state().turn?.interruptedAt != null) await driver.run();
  const closing = closingOf(driver.state());
  if (closing.length > 0) await driver.post(closing);
}

/** What the assistant said last, of what came behind `from`: an older turn's words are no answer to this one. */
export async function resultOf(state: State, from: number, texts: TextCache): Promise<TurnResult> {
  const { reason, detail } = state.lastTurn ?? { reason: "failed", detail: "the turn has no end" };
  const last = state.live.findLastIndex((piece) => piece.role === "user");
  const said = state.live
    .slice(last + 1)
    .filter(({ id }) => Number.parseInt(id, 10) > from)
    .flatMap(({ role, block }) => (role === "assistant" && block.type === "text" ? [block.text] : []));
  const parts = await Promise.all(said.map((text) => texts.read(text)));
  // A part may hold nothing but a signature.
  return { reason, detail, text: parts.filter((part) => part !== "").join("\n") };
}
