import { bounds } from "../kernel/bounds.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import { reduceAll } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import type { AppendResult } from "../ports/store.ts";
import { blobsOf, type Head } from "../prompt/render.ts";
import type { AgentConfig, SessionEvent } from "./config.ts";
import { decide } from "./decide.ts";
import type { Effects } from "./effects.ts";
import { headOf } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import { keyOf, prepare, type Ready } from "./perform.ts";
import { type Prompt, renderPrompt } from "./prompt.ts";
import { canShrink } from "./shrink.ts";
import type { TextCache } from "./texts.ts";

/**
 * The event loop of a lane (DESIGN 4): reduce, decide, start what was decided, wait for one event, append what it yields
 * in one atomic append, repeat. It holds nothing that is not in the log but what is running right now.
 *
 * When an append is refused (the disk is full), the caller gets the error, everything that runs is stopped, and the
 * results that could not be stored wait here: the next run stores them first and goes on from there. A process that dies
 * before that finds intents without results, as after any death. A conflict or a lost lease ends the driver for good.
 */
export type Driver = {
  state(): State;
  /** Entries from outside (message, interrupt, model or mode chosen). They are appended in order of arrival. */
  post(entries: readonly EntryBody[]): Promise<void>;
  /** Runs until there is nothing to do and nothing running. Called again meanwhile, it is the same run. */
  run(): Promise<void>;
  active(): boolean;
};

export type Opened = {
  readonly state: State;
  readonly head: Head | null;
  readonly rendererChanged: boolean;
  readonly damaged: boolean;
  readonly texts: TextCache;
};

type Settled = Pick<Ready, "yields"> & {
  readonly key: string;
  readonly entries: readonly EntryBody[];
  /** Where the log stood when the effect was decided. */
  readonly decidedAt: number;
  /** The effect broke down: `entries` say so, and the run ends with this. */
  readonly error: Error | null;
};

export function createDriver(
  config: AgentConfig,
  fx: Effects,
  opened: Opened,
  emit: (event: SessionEvent) => void,
): Driver {
  let { state, head, rendererChanged } = opened;
  let fault: Error | null = null;
  let loop: Promise<void> = Promise.resolve();
  let active = false;
  let writing: Promise<unknown> = Promise.resolve();
  let wake: () => void = () => {};
  let rendered: { readonly of: State; readonly prompt: Prompt } | null = null;
  const settled: Settled[] = [];
  const running = new Map<string, AbortController>();

  const lane: Lane = {
    config,
    fx,
    texts: opened.texts,
    state: () => state,
    head: () => {
      if (head === null) throw new Error("the head of the epoch is not loaded");
      return head;
    },
    prompt: () => {
      if (rendered?.of !== state) rendered = { of: state, prompt: renderPrompt(lane) };
      return rendered.prompt;
    },
    record: (entries) => append(entries),
    emit,
  };

  return { state: () => state, post, run, active: () => active };

  async function post(entries: readonly EntryBody[]): Promise<void> {
    await append(entries);
    wake();
  }

  function run(): Promise<void> {
    if (!active) {
      active = true;
      loop = turn();
    }
    return loop;
  }

  async function turn(): Promise<void> {
    try {
      for (;;) {
        if (fault !== null) throw fault;
        if (settled.length > 0) {
          await takeOne();
          continue;
        }
        const seen = state.seq;
        await startDue();
        if (settled.length > 0 || state.seq !== seen) continue;
        if (running.size === 0) return;
        await something();
      }
    } catch (error) {
      await stop();
      throw error;
    } finally {
      active = false;
    }
  }

  /** Intents are appended only to the state they were decided on; when something came first, deciding begins again. */
  async function startDue(): Promise<void> {
    const decidedAt = state.seq;
    const due = decide(state, situation());
    // Something better came up (another model was chosen): nobody waits for that wait any more.
    if (!due.some(({ type }) => type === "wait")) running.get("wait")?.abort();
    const fresh = due.filter((effect) => !running.has(keyOf(effect)));
    const ready = fresh.map((effect) => ({ key: keyOf(effect), ...prepare(effect, lane) }));
    const intents = ready.flatMap(({ intent }) => intent);
    if (intents.length > 0 && !(await append(intents, decidedAt))) return;
    for (const one of ready) start(one, decidedAt);
  }

  function start({ key, start: begin, lost, yields }: Ready & { readonly key: string }, decidedAt: number): void {
    const controller = new AbortController();
    running.set(key, controller);
    // The interrupt came while the intent was being written.
    if (state.turn?.interruptedAt != null) controller.abort();
    const event = { key, yields, decidedAt };
    begin(controller.signal).then(
      (entries) => settle({ ...event, entries, error: null }),
      (error: unknown) => settle({ ...event, entries: lost, error: errorOf(error) }),
    );
  }

  function settle(event: Settled): void {
    settled.push(event);
    wake();
  }

  /** An effect settled, or `post` appended something. Nothing is awaited between the check before and this. */
  function something(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  /** An event leaves the queue only when its entries are stored (or are a plan that came too late). */
  async function takeOne(): Promise<void> {
    const [event] = settled;
    if (event === undefined) return;
    if (event.entries.length > 0) await append(event.entries, event.yields === "plan" ? event.decidedAt : null);
    settled.shift();
    running.delete(event.key);
    if (event.error !== null) throw event.error;
  }

  /** Nothing keeps running behind the caller's back; what settles is stored where that is possible. */
  async function stop(): Promise<void> {
    abort();
    while (running.size > settled.length) await something();
    for (let left = settled.length + 1; settled.length > 0 && settled.length < left; ) {
      left = settled.length;
      // The caller is told the first error; one that comes of cleaning up after it adds nothing.
      await takeOne().catch(() => {});
    }
  }

  function abort(): void {
    for (const controller of running.values()) controller.abort();
  }

  /** One writer queue per log. False: `onlyAt` was given, and the log has moved on since. */
  function append(entries: readonly EntryBody[], onlyAt: number | null = null): Promise<boolean> {
    const mine = writing.then(() => appendNow(entries, onlyAt));
    writing = mine.catch(() => {});
    return mine;
  }

  async function appendNow(entries: readonly EntryBody[], onlyAt: number | null): Promise<boolean> {
    if (fault !== null) throw fault;
    if (onlyAt !== null && onlyAt !== state.seq) return false;
    const result = await fx.append(state.seq, entries);
    if (result.type !== "appended") throw failedAppend(result);
    await take(result.entries);
    for (const entry of result.entries) emit({ type: "entry", entry });
    return true;
  }

  async function take(entries: readonly Entry[]): Promise<void> {
    state = reduceAll(state, entries);
    if (entries.some(({ type }) => type === "interrupted")) abort();
    if (!entries.some(({ type }) => type === "epoch-opened") || state.epoch === null) return;
    head = await headOf(state, opened.texts);
    rendererChanged = false;
    opened.texts.prune([...blobsOf(state), state.epoch.head.tools, state.epoch.head.system]);
  }

  /** Somebody else writes this log: nothing of ours can follow. A refused append left nothing behind and may be tried again. */
  function failedAppend(result: Exclude<AppendResult, { readonly type: "appended" }>): Error {
    const error = new Error(failedWords(result));
    if (result.type !== "refused") {
      fault = error;
      abort();
      wake();
    }
    return error;
  }

  function situation(): Parameters<typeof decide>[1] {
    return {
      now: fx.clock.now(),
      stepsMax: Math.min(config.stepsMax, bounds.stepsPerTurnMax),
      rendererChanged,
      damaged: opened.damaged,
      headLost: head === null && state.epoch !== null,
      isReadOnly: (name) => config.tools.find(({ declaration }) => declaration.name === name)?.readOnly ?? true,
      forecast: () => lane.prompt().forecast,
      canShrink: () => canShrink(lane.prompt(), state),
    };
  }
}

function failedWords(result: Exclude<AppendResult, { readonly type: "appended" }>): string {
  if (result.type === "conflict") return "another process wrote to this session: open it again to see its entries";
  if (result.type === "fenced")
    return "this process lost the session's lease to a later one and must not write any more";
  return `the session could not be saved: ${result.why}`;
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
