import type { Effects } from "../agent/effects.ts";
import type { Hooks } from "../ports/hooks.ts";
import type { Knowledge } from "../ports/knowledge.ts";

/** One effect that wants to happen. Nothing happens until a test says so. */
export type Parked = {
  readonly name: string;
  readonly detail: string;
  /** Lets it happen; resolves when its result has been handed on. */
  release(): Promise<void>;
  /** Lets it happen, and the process die before it learns of the result. */
  dieAfter(): Promise<void>;
};

export type ManualDrive = {
  readonly fx: Effects;
  /** The oldest parked effect (of that name); waits for one. */
  next(name?: string): Promise<Parked>;
  parked(): readonly Parked[];
  /** From now on everything happens at once. */
  releaseAll(): void;
  /** The process is dead: nothing that is parked or comes later ever returns. */
  die(): void;
};

/**
 * Parks every effect, so that "crash here", "this one first", "that one second" are plain unit tests (DESIGN 4). The
 * clock and ids are not parked: they change nothing outside, and a manual clock is moved by the test anyway.
 */
export function manualDrive(fx: Effects): ManualDrive {
  const parked: Parked[] = [];
  const waiters = new Set<() => void>();
  let free = false;
  let dead = false;

  function park<T>(name: string, detail: string, perform: () => Promise<T>): Promise<T> {
    if (dead) return never();
    if (free) return perform();
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        const at = parked.indexOf(one);
        if (at !== -1) parked.splice(at, 1);
      };
      const one: Parked = {
        name,
        detail,
        async release() {
          leave();
          await perform().then(resolve, reject);
          await settled();
        },
        async dieAfter() {
          leave();
          dead = true;
          await perform();
        },
      };
      parked.push(one);
      for (const wake of waiters) wake();
    });
  }

  return {
    fx: parkedEffects(fx, park),
    async next(name) {
      for (;;) {
        const found = parked.find((one) => name === undefined || one.name === name);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiters.delete(wake);
            resolve();
          };
          waiters.add(wake);
        });
      }
    },
    parked: () => [...parked],
    releaseAll() {
      free = true;
      for (const one of [...parked]) void one.release();
    },
    die() {
      dead = true;
    },
  };
}

type Park = <T>(name: string, detail: string, perform: () => Promise<T>) => Promise<T>;

function parkedEffects(fx: Effects, park: Park): Effects {
  return {
    append: (seq, entries) => {
      const types = entries.map(({ type }) => type).join(" ");
      return park("append", types, () => fx.append(seq, entries));
    },
    putBlob: (text) => park("put-blob", text.slice(0, 40), () => fx.putBlob(text)),
    getBlob: (hash) => park("get-blob", hash, () => fx.getBlob(hash)),
    model: {
      async *stream(request, signal) {
        await park("model-start", request.wire, async () => undefined);
        for await (const event of fx.model.stream(request, signal)) {
          await park("model-event", event.type, async () => undefined);
          yield event;
        }
      },
    },
    runTool: (call, context, signal) => park("run-tool", call.title, () => fx.runTool(call, context, signal)),
    ask: (question, signal) => park("ask", question.title, () => fx.ask(question, signal)),
    // The end comes by itself; what waits is being told of it.
    taskEnded: async (task) => {
      const result = await fx.taskEnded(task);
      return await park("task-ended", task, async () => result);
    },
    stopTasks: () => park("stop-tasks", "", () => fx.stopTasks()),
    observe: () => park("observe", "", () => fx.observe()),
    knowledge: fx.knowledge === null ? null : parkedKnowledge(fx.knowledge, park),
    // Their calls are calls of tools.
    servers: fx.servers,
    hooks: fx.hooks === null ? null : parkedHooks(fx.hooks, park),
    note: (text) => fx.note(text),
    projectFacts: () => park("project-facts", "", () => fx.projectFacts()),
    changeProjectFacts: (entries) => {
      const types = entries.map(({ type }) => type).join(" ");
      return park("change-project-facts", types, () => fx.changeProjectFacts(entries));
    },
    fileText: (path, bytesMax) => park("file-text", path, () => fx.fileText(path, bytesMax)),
    fileHash: (path) => park("file-hash", path, () => fx.fileHash(path)),
    clock: fx.clock,
    ids: fx.ids,
  };
}

function parkedHooks(hooks: Hooks, park: Park): Hooks {
  return { ...hooks, run: (hook, ...given) => park("run-hook", hook.command, () => hooks.run(hook, ...given)) };
}

function parkedKnowledge({ look, skills }: Knowledge, park: Park): Knowledge {
  return {
    look: (at) => park("look", at.message ?? "", () => look(at)),
    ...(skills === undefined ? {} : { skills: (touched) => park("find-skills", "", () => skills(touched)) }),
  };
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

/** Lets everything that follows from a result run until the next effect parks. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
