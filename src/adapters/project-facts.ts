import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import { type Fact, type FactState, noFacts, pinned, retired } from "../log/facts.ts";
import type { LogStore } from "../ports/store.ts";
import { type ProjectFold, projectStream } from "./project-stream.ts";

/** A project's facts, in the stream that all its sessions share. */
export type ProjectFacts = {
  read(): Promise<readonly Fact[] | null>;
  change(entries: readonly EntryBody[]): Promise<string | null>;
};

export function projectFacts(log: LogStore, project: ProjectId | null): ProjectFacts {
  if (project === null)
    return { read: async () => null, change: async () => "this session belongs to no project: its facts are its own" };
  const stream = projectStream(log, project, "the project's facts");
  return {
    // A stream that cannot be read keeps nobody from working: what sessions took over from it stays in force.
    read: async () => (await stream.read(fold).catch(() => null))?.active ?? null,
    change: (entries) =>
      stream.append(fold, (facts) => {
        const news = newsIn(facts, entries);
        if (pinsIn(news, facts) <= bounds.factsMax) return news;
        return `the project has ${facts.active.length} facts, and ${bounds.factsMax} is the most there may be`;
      }),
  };
}

const fold: ProjectFold<FactState> = { empty: noFacts, step: withEntry };

function withEntry(facts: FactState, entry: Entry): FactState {
  if (entry.type === "fact-pinned") return pinned(facts, entry);
  return entry.type === "fact-retired" ? retired(facts, entry.fact) : facts;
}

function newsIn({ active }: FactState, entries: readonly EntryBody[]): readonly EntryBody[] {
  return entries.filter((entry) => {
    if (entry.type === "fact-pinned") return !active.some(({ id, text }) => id === entry.fact && text === entry.text);
    return entry.type === "fact-retired" && active.some(({ id }) => id === entry.fact);
  });
}

function pinsIn(entries: readonly EntryBody[], { active }: FactState): number {
  const after = new Set<string>(active.map(({ id }) => id));
  for (const entry of entries) {
    if (entry.type === "fact-retired") after.delete(entry.fact);
    if (entry.type === "fact-pinned") after.add(entry.fact);
  }
  return after.size;
}
