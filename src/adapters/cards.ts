import type { ProjectId } from "../kernel/ids.ts";
import { type Measures, noMeasures, withMeasured } from "../mcp/card-measures.ts";
import type { MeasuredEntry } from "../mcp/measured.ts";
import type { LogStore } from "../ports/store.ts";
import { type ProjectFold, projectStream } from "./project-stream.ts";

/** What a project's sessions measured of its servers. `add` gives a sentence where it cannot be kept. */
export type CardStore = {
  read(): Promise<Measures>;
  add(entries: readonly MeasuredEntry[]): Promise<string | null>;
};

/** Without a project they last as long as the process. */
export function cardStore(log: LogStore, project: ProjectId | null): CardStore {
  if (project === null) return cardsInMemory();
  const stream = projectStream(log, project, "what the servers' tools cost");
  return {
    // A stream that cannot be read costs the figures, and keeps nobody from working.
    read: () => stream.read(fold).catch(() => noMeasures),
    add: (entries) => stream.append(headOnly, () => entries).catch(whyNot),
  };
}

const fold: ProjectFold<Measures> = { empty: noMeasures, step: withMeasured };

/** What stands there makes no measurement needless. */
const headOnly: ProjectFold<null> = { empty: null, step: () => null };

function cardsInMemory(): CardStore {
  let measures = noMeasures;
  return {
    read: async () => measures,
    async add(entries) {
      measures = entries.reduce(withMeasured, measures);
      return null;
    },
  };
}

function whyNot(fault: unknown): string {
  return `what the servers' tools cost cannot be saved: ${fault instanceof Error ? fault.message : String(fault)}`;
}
