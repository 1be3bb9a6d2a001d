import { bounds } from "../kernel/bounds.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import { reduceAll } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import { blobsOf, type Head } from "../prompt/render.ts";
import type { AgentConfig, SessionEvent } from "./config.ts";
import { decide, type Effect } from "./decide.ts";
import type { Effects } from "./effects.ts";
import { loadHead } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import { keyOf, prepare, type Ready } from "./perform.ts";
import { type Prompt, renderPrompt } from "./prompt.ts";
import type { TextCache } from "./texts.ts";

/**
 * The event loop of a lane (DESIGN 4): reduce, decide, start what was decided, wait for one event, append what it yields
 * in one atomic append, repeat. It holds nothing that is not in the log but what is running right now.
 */
export type Driver = {
  state(): State;
  /** Entries from outside (message, interrupt, model or mode chosen). They are appended in order of arrival. */
  post(entries: readonly EntryBody[]): Promise<void>;
  /** Runs until there is nothing to do and nothing running. Resolves at once when called again meanwhile. */
  run(): Promise<void>;
  /** Fires the signal of everything that runs. */
  abort(): void;
  active(): boolean;
};

export type Opened = {
  readonly state: State;
  readonly head: Head | null;
  readonly rendererChanged: boolean;
  readonly damaged: boolean;
  readonly texts: TextCache;
};

type Settled = { readonly key: string; readonly entries: readonly EntryBody[] };

export function createDriver(
  config: AgentConfig,
  fx: Effects,
  opened: Opened,
  emit: (event: SessionEvent) => void,
): Driver {
  let { state, head, rendererChanged } = opened;
  let fault: Error | null = null;
  let loop: Promise<void> | null = null;
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
    record: append,
    emit,
  };

  return { state: () => state, post, run, abort, active: () => loop !== null };

  async function post(entries: readonly EntryBody[]): Promise<void> {
    await append(entries);
    wake();
  }

  function run(): Promise<void> {
    loop ??= turn().finally(() => {
      loop = null;
    });
    return loop;
  }

  function abort(): void {
    for (const controller of running.values()) controller.abort();
  }

  async function turn(): Promise<void> {
    for (;;) {
      if (fault !== null) throw fault;
      const seen = state.seq;
      const fresh = decide(state, situation()).filter((effect) => !running.has(keyOf(effect)));
      if (fresh.length > 0) await startAll(fresh);
      if (settled.length === 0 && state.seq === seen) {
        if (running.size === 0) return;
        await something();
      }
      await takeOne();
    }
  }

  async function startAll(effects: readonly Effect[]): Promise<void> {
    const ready = effects.map((effect) => ({ key: keyOf(effect), ...prepare(effect, lane) }));
    const intents = ready.flatMap(({ intent }) => intent);
    if (intents.length > 0) await append(intents);
    for (const one of ready) start(one);
  }

  function start({ key, start: begin }: Ready & { readonly key: string }): void {
    const controller = new AbortController();
    running.set(key, controller);
    begin(controller.signal).then(
      (entries) => settle({ key, entries }),
      (error: unknown) => {
        fault = error instanceof Error ? error : new Error(String(error));
        abort();
        settle({ key, entries: [] });
      },
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

  async function takeOne(): Promise<void> {
    const event = settled.shift();
    if (event === undefined) return;
    running.delete(event.key);
    if (event.entries.length > 0) await append(event.entries);
  }

  /** One writer queue per log. A conflict or a lost lease faults the session: somebody else is writing it. */
  function append(entries: readonly EntryBody[]): Promise<void> {
    const mine = writing.then(() => appendNow(entries));
    writing = mine.catch(() => {});
    return mine;
  }

  async function appendNow(entries: readonly EntryBody[]): Promise<void> {
    const result = await fx.append(state.seq, entries);
    if (result.type !== "appended") throw faulted(result);
    await take(result.entries);
    for (const entry of result.entries) emit({ type: "entry", entry });
  }

  async function take(entries: readonly Entry[]): Promise<void> {
    state = reduceAll(state, entries);
    if (!entries.some(({ type }) => type === "epoch-opened") || state.epoch === null) return;
    head = await loadHead(state.epoch, opened.texts);
    rendererChanged = false;
    opened.texts.prune([...blobsOf(state), state.epoch.head.tools, state.epoch.head.system]);
  }

  function faulted(result: { readonly type: string; readonly why?: string }): Error {
    fault = new Error(wordsOf(result));
    abort();
    return fault;
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
    };
  }
}

function wordsOf(result: { readonly type: string; readonly why?: string }): string {
  if (result.type === "conflict") return "another process wrote to this session: open it again to see its entries";
  if (result.type === "fenced")
    return "this process lost the session's lease to a later one and must not write any more";
  return `the session could not be saved: ${result.why ?? "unknown reason"}`;
}
