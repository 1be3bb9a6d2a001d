import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import { type Entry, type EntryBody, logFormat } from "../log/entry.ts";
import { type Fact, type FactState, noFacts, pinned, retired } from "../log/facts.ts";
import type { LogStore, StreamId } from "../ports/store.ts";

/** A project's facts, in the stream that all its sessions share (DESIGN 5): nobody holds a lease on it. */
export type ProjectFacts = {
  read(): Promise<readonly Fact[] | null>;
  change(entries: readonly EntryBody[]): Promise<string | null>;
};

export function projectFacts(log: LogStore, project: ProjectId | null): ProjectFacts {
  if (project === null)
    return { read: async () => null, change: async () => "this session belongs to no project: its facts are its own" };
  const stream: StreamId = { type: "project", project };
  return {
    // A stream that cannot be read keeps nobody from working: what sessions took over from it stays in force.
    read: async () => (await factsIn(log, stream).catch(() => null))?.facts.active ?? null,
    change: (entries) => changed(log, stream, project, entries),
  };
}

/** Compare, retry: what others appended meanwhile may have made some of it needless. */
async function changed(
  log: LogStore,
  stream: StreamId,
  project: ProjectId,
  entries: readonly EntryBody[],
): Promise<string | null> {
  for (let left = bounds.projectAppendsMax; left > 0; left -= 1) {
    const { seq, facts } = await factsIn(log, stream);
    const news = newsIn(facts, entries);
    if (news.length === 0) return null;
    if (pinsIn(news, facts) > bounds.factsMax)
      return `the project has ${facts.active.length} facts, and ${bounds.factsMax} is the most there may be`;
    const first: readonly EntryBody[] = seq === 0 ? [{ type: "project-started", format: logFormat, project }] : [];
    const result = await log.append({ stream, expectedSeq: seq, fence: null, entries: [...first, ...news] });
    if (result.type === "appended") return null;
    if (result.type === "refused") return `the project's facts cannot be saved: ${result.why}`;
  }
  return "others write to the project all the time; try again";
}

async function factsIn(log: LogStore, stream: StreamId): Promise<{ readonly seq: number; readonly facts: FactState }> {
  let seq = 0;
  let facts = noFacts;
  for await (const entry of log.read(stream, null)) {
    seq = entry.seq;
    facts = withEntry(facts, entry);
  }
  return { seq, facts };
}

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
