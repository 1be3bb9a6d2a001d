import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import { type Entry, type EntryBody, logFormat } from "../log/entry.ts";
import type { LogStore, StreamId } from "../ports/store.ts";

/** A fold over a project's entries. */
export type ProjectFold<T> = { readonly empty: T; readonly step: (sum: T, entry: Entry) => T };

/** The stream that all sessions of a project share (DESIGN 5): nobody holds a lease on it. */
export type ProjectStream = {
  read<T>(fold: ProjectFold<T>): Promise<T>;
  /** `news` is asked again whenever others came first: what they appended may have made some of it needless. Null: it is done. */
  append<T>(fold: ProjectFold<T>, news: (sum: T) => readonly EntryBody[] | string): Promise<string | null>;
};

/** `what`: what is kept there, in a sentence that says it cannot be. */
export function projectStream(log: LogStore, project: ProjectId, what: string): ProjectStream {
  const stream: StreamId = { type: "project", project };
  return {
    read: async (fold) => (await folded(log, stream, fold)).sum,
    async append(fold, news) {
      for (let left = bounds.projectAppendsMax; left > 0; left -= 1) {
        const { seq, sum } = await folded(log, stream, fold);
        const entries = news(sum);
        if (typeof entries === "string") return entries;
        if (entries.length === 0) return null;
        const first: readonly EntryBody[] = seq === 0 ? [{ type: "project-started", format: logFormat, project }] : [];
        const result = await log.append({ stream, expectedSeq: seq, fence: null, entries: [...first, ...entries] });
        if (result.type === "appended") return null;
        if (result.type === "refused") return `${what} cannot be saved: ${result.why}`;
      }
      return "others write to the project all the time; try again";
    },
  };
}

async function folded<T>(
  log: LogStore,
  stream: StreamId,
  { empty, step }: ProjectFold<T>,
): Promise<{ readonly seq: number; readonly sum: T }> {
  let seq = 0;
  let sum = empty;
  for await (const entry of log.read(stream, null)) {
    seq = entry.seq;
    sum = step(sum, entry);
  }
  return { seq, sum };
}
