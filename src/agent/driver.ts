import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig, SessionEvent } from "./config.ts";
import { dueNow } from "./due.ts";
import type { Effects } from "./effects.ts";
import type { Lane } from "./lane.ts";
import { keyOf, prepare } from "./perform.ts";
import { type Prompt, renderPrompt } from "./prompt.ts";
import { createRolling } from "./rolling.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createWriter, type Opened, type Writer } from "./writer.ts";

/**
 * The event loop of a lane (DESIGN 4): reduce, decide, start what was decided, wait for one event, append what it yields
 * in one atomic append, repeat. It holds nothing that is not in the log but what is running right now.
 *
 * When an append is refused (the disk is full), the caller gets the error, everything that runs is stopped, and the
 * results that could not be stored wait here: the next run stores them first and goes on from there. A process that dies
 * before that finds intents without results, as after any death. A conflict or a lost lease ends the driver for good.
 */
export type Driver = {
  /** To look at: what the next request would be, and what it is made of. */
  readonly lane: Pick<Lane, "config" | "fx" | "texts" | "state" | "ledger" | "head" | "prompt">;
  state(): State;
  /** Entries from outside (message, interrupt, model or mode chosen). They are appended in order of arrival. */
  post(entries: readonly EntryBody[]): Promise<void>;
  /** Runs until there is nothing to do and nothing running. Called again meanwhile, it is the same run. */
  run(): Promise<void>;
  /** Fires the signal of everything that runs. An `interrupted` entry does so by itself; this is for when it cannot be written. */
  abort(): void;
  active(): boolean;
  /** Resolves when no run is under way, however it ended. */
  idle(): Promise<void>;
  /** Ends what is made beside the runs (`rolling.ts`). */
  closeRolling(): Promise<void>;
};

export function createDriver(
  config: AgentConfig,
  fx: Effects,
  opened: Opened,
  emit: (event: SessionEvent) => void,
): Driver {
  const runner = createRunner();
  const writer = createWriter(fx, opened, {
    entry(entry) {
      if (entry.type === "interrupted") runner.abort();
      if (entry.type === "request-sent" && entry.purpose === "step") rolling.look();
      emit({ type: "entry", entry });
    },
    fault() {
      runner.abort();
      runner.wake();
    },
    sending(request) {
      const segments = lane.outgoing.get(request) ?? [];
      lane.outgoing.delete(request);
      return segments;
    },
  });
  const lane = laneOf(config, fx, opened, writer, emit);
  const rolling = createRolling(lane);
  let active = false;
  let loop: Promise<void> = Promise.resolve();

  return {
    lane,
    state: writer.state,
    async post(entries) {
      await writer.append(entries);
      runner.wake();
    },
    run() {
      if (!active) {
        active = true;
        loop = turn(lane, writer, runner, opened, () => {
          active = false;
        });
      }
      return loop;
    },
    abort: () => runner.abort(),
    // Whoever started the run is told how it ended; this one only waits for it.
    idle: () => loop.catch(() => {}),
    active: () => active,
    closeRolling: rolling.close,
  };
}

function laneOf(
  config: AgentConfig,
  fx: Effects,
  { texts }: Opened,
  writer: Writer,
  emit: (event: SessionEvent) => void,
): Lane {
  let rendered: { readonly of: State; readonly prompt: Prompt } | null = null;
  const lane: Lane = {
    config,
    fx,
    texts,
    state: writer.state,
    ledger: writer.ledger,
    hasHead: () => writer.head() !== null,
    head() {
      const head = writer.head();
      if (head === null) throw new Error("the head of the epoch is not loaded");
      return head;
    },
    prompt() {
      const state = writer.state();
      if (rendered?.of !== state) rendered = { of: state, prompt: renderPrompt(lane) };
      return rendered.prompt;
    },
    outgoing: new Map(),
    record: (entries) => writer.append(entries),
    emit,
  };
  return lane;
}

/** `end` is called in the same instant in which the loop looks for the last time: a run after that is a new one. */
async function turn(lane: Lane, writer: Writer, runner: Runner, opened: Opened, end: () => void): Promise<void> {
  // Nothing may end before `run` has kept this promise.
  await null;
  try {
    for (;;) {
      const fault = writer.fault();
      if (fault !== null) throw fault;
      if (runner.waiting() > 0) {
        await storeOne(writer, runner);
        continue;
      }
      const seen = writer.state().seq;
      await startDue(lane, writer, runner, opened);
      if (runner.waiting() > 0 || writer.state().seq !== seen) continue;
      if (runner.running() === 0) return;
      await runner.something();
    }
  } catch (error) {
    await stop(writer, runner);
    throw error;
  } finally {
    end();
  }
}

/** Intents are appended only to the state they were decided on; when something came first, deciding begins again. */
async function startDue(lane: Lane, writer: Writer, runner: Runner, opened: Opened): Promise<void> {
  const decidedAt = writer.state().seq;
  const due = dueNow(lane, writer, opened, runner.running() > 0);
  // Something better came up (another model was chosen): nobody waits for that wait any more.
  if (!due.some(({ type }) => type === "wait")) runner.abort("wait");
  const fresh = due.filter((effect) => !runner.has(keyOf(effect)));
  const ready = fresh.map((effect) => ({ key: keyOf(effect), ...prepare(effect, lane) }));
  const intents = ready.flatMap(({ intent }) => intent);
  if (intents.length > 0 && !(await writer.append(intents, decidedAt))) return;
  for (const one of ready) runner.start(one, decidedAt);
  // The interrupt came while the intents were being written.
  if (ready.length > 0 && writer.state().turn?.interruptedAt != null) runner.abort();
}

/** An end leaves the queue only when its entries are stored (or are a plan that came too late). */
async function storeOne(writer: Writer, runner: Runner): Promise<void> {
  const event = runner.settled();
  if (event === undefined) return;
  if (event.entries.length > 0) await writer.append(event.entries, event.yields === "plan" ? event.decidedAt : null);
  runner.stored();
  if (event.error !== null) throw event.error;
}

/** Nothing keeps running behind the caller's back; what ends is stored where that is possible. */
async function stop(writer: Writer, runner: Runner): Promise<void> {
  runner.abort();
  while (runner.running() > runner.waiting()) await runner.something();
  for (let left = runner.waiting() + 1; runner.waiting() > 0 && runner.waiting() < left; ) {
    left = runner.waiting();
    // The caller is told the first error; one that comes of cleaning up after it adds nothing.
    await storeOne(writer, runner).catch(() => {});
  }
  runner.told();
}
