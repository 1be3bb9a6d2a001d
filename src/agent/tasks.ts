import type { EntryBody, EntryOf } from "../log/entry.ts";
import type { RunResult } from "../ports/shell.ts";
import type { Effects } from "./effects.ts";
import { endedTask, type TaskWriting } from "./task-end.ts";

/**
 * How the end of a background task becomes entries: it comes from outside, like a message, whenever it comes. It neither
 * starts a request nor keeps a turn from ending; the model reads of it with the next request.
 */
export type Tasks = {
  /** Called once `background-started` is stored, so that the end always stands behind it. */
  watch(started: Pick<EntryOf<"background-started">, "task" | "command">): void;
  /** Tries again to store ends that could not be stored. */
  store(): Promise<void>;
  /** Ends all tasks and waits until what became of them is stored. */
  close(): Promise<void>;
};

type Ended = { readonly task: string; readonly command: string; readonly result: RunResult };

export function createTasks(
  fx: Pick<Effects, "taskEnded" | "stopTasks">,
  lane: TaskWriting & { readonly post: (entries: readonly EntryBody[]) => Promise<void> },
): Tasks {
  const watching = new Set<Promise<void>>();
  /** Ended, but not in the log yet. */
  const waiting = new Set<Ended>();

  const store = async (): Promise<void> => {
    for (const ended of [...waiting]) {
      // Taken out first: whoever comes meanwhile must not store it twice.
      if (!waiting.delete(ended)) continue;
      try {
        await lane.post(await endedTask(ended, lane));
      } catch (error) {
        waiting.add(ended);
        throw error;
      }
    }
  };
  return {
    watch({ task, command }) {
      const watched = fx.taskEnded(task).then(async (result) => {
        waiting.add({ task, command, result });
        // A full disk: it waits for the next message, whose sender is told, or is found open by the next process.
        await store().catch(() => {});
      });
      watching.add(watched);
      void watched.finally(() => watching.delete(watched));
    },
    store,
    async close() {
      await fx.stopTasks();
      await Promise.all(watching);
    },
  };
}
