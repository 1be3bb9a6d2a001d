import type { State } from "../log/state.ts";
import { beginning, resultOf, type TurnResult } from "./beginning.ts";
import { type Choices, choicesOf } from "./choices.ts";
import { type CommandChoices, commandChoicesOf } from "./command-choices.ts";
import { type CompactChoices, compactChoicesOf } from "./compact-choices.ts";
import type { AgentConfig, SessionEvent } from "./config.ts";
import { createDriver, type Driver } from "./driver.ts";
import type { Effects } from "./effects.ts";
import { type LaneChoices, laneChoicesOf } from "./lane-choices.ts";
import { type Found, openedFrom } from "./opening.ts";
import { recoveryOf, resumable } from "./recover.ts";
import { createServerNews } from "./server-news.ts";
import { createSessionHooks, type SessionHooks } from "./session-hooks.ts";
import { createTasks } from "./tasks.ts";

export type { TurnResult };

/** An open session's main lane: the agent, without a screen. */
export type Session = Choices &
  CompactChoices &
  LaneChoices &
  CommandChoices<TurnResult> & {
    state(): State;
    /**
     * Starts a turn, or joins the one under way as one more message. Resolves when the turn ends. `typed`: what of it are the
     * user's own words, where not all are (a file was piped in): rules stated there are proposed as facts.
     */
    prompt(text: string, typed?: string): Promise<TurnResult>;
    /** Goes on with a turn that a restart, the user, a limit or the provider broke off; null when there is none. */
    resume(): Promise<TurnResult | null>;
    /** Stops the turn under way: running calls are told, then abandoned after a limit. */
    interrupt(by: string): Promise<void>;
    /** Resolves when no turn is under way, however it ended. */
    idle(): Promise<void>;
    /** Ends the background tasks; their ends are in the log where it can be written. */
    close(): Promise<void>;
    listen(listener: (event: SessionEvent) => void): () => void;
  };

/**
 * `state` is what the log says so far, with its first entry; `damaged`: reading it found something wrong; `sentUnsure`:
 * what was wrong hides what was sent last.
 */
export async function openSession(
  config: AgentConfig,
  fx: Effects,
  { state, ...found }: Found & { readonly state: State },
): Promise<Session> {
  const listeners = new Set<(event: SessionEvent) => void>();
  const opened = await openedFrom(state, found, config, fx);
  const { texts } = opened;
  const driver = createDriver(config, fx, opened, (event) => {
    if (event.type === "entry" && event.entry.type === "background-started") tasks.watch(event.entry);
    tell(listeners, event);
  });
  const tasks = createTasks(fx, { texts, config, post: driver.post });
  const recovery = recoveryOf(state);
  if (recovery.length > 0) await driver.post(recovery);
  const hooks = createSessionHooks({ fx, texts, state: driver.state, record: driver.post });
  const serverNews = createServerNews(fx, { ...driver, texts });
  const inTurn = inbox();
  const listen: Session["listen"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  const begin = beginning(driver, { config, fx, texts, tasks, hooks, inTurn });
  const { choices: commands, stopFilling } = commandChoicesOf(driver, begin, hooks);

  return {
    state: driver.state,
    prompt: (text, typed = text) => begin(text, typed, []),
    async resume() {
      const from = await inTurn(async () => {
        const after = resumable(driver.state());
        if (after !== null || driver.state().turn !== null) await begun(driver, hooks);
        if (after !== null) await driver.post([{ type: "turn-resumed", after }]);
        return driver.state().turn?.fromSeq ?? null;
      });
      if (from === null) return null;
      await driver.run();
      return await resultOf(driver.state(), from, texts);
    },
    async interrupt(by) {
      stopFilling();
      hooks.stop();
      await inTurn(() => interrupt(driver, by));
    },
    idle: driver.idle,
    async close() {
      await serverNews.close();
      await hooks.ended();
      await driver.closeRolling();
      await tasks.close();
    },
    ...choicesOf(driver, inTurn, config, fx),
    ...compactChoicesOf(driver, inTurn, listen),
    ...laneChoicesOf(driver, inTurn),
    ...commands,
    listen,
  };
}

async function begun({ post }: Driver, hooks: SessionHooks): Promise<void> {
  const entries = await hooks.started();
  if (entries.length > 0) await post(entries);
}

async function interrupt(driver: Driver, by: string): Promise<void> {
  const { turn, summary } = driver.state();
  if (turn === null && summary.wanted === null) return;
  try {
    if (turn !== null) return await driver.post([{ type: "interrupted", by }]);
    // A compaction by hand runs between turns: it is given up, and its request with it.
    await driver.post([{ type: "compaction-refused", detail: `stopped by ${by}` }]);
    driver.abort();
  } catch (error) {
    // A full disk must not keep a tool running that the user wants stopped.
    driver.abort();
    throw error;
  }
}

/** What comes from outside is taken one after another: two prompts look at the world in turn, an interrupt waits for the prompt it means. */
function inbox(): <T>(take: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (take) => {
    const mine = last.then(take);
    last = mine.catch(() => {});
    return mine;
  };
}

/** A listener that throws is dropped: it cannot break the session (STYLE 24). */
function tell(listeners: Set<(event: SessionEvent) => void>, event: SessionEvent): void {
  for (const listener of listeners) {
    const drop = () => listeners.delete(listener);
    try {
      // A function without a result may be an async one; its rejection would end the whole process.
      const result: unknown = listener(event);
      if (result instanceof Promise) result.catch(drop);
    } catch {
      drop();
    }
  }
}
