import { brand, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import type { LogStore, Position, Stores, StreamId } from "../ports/store.ts";

/** A store under test. `now` sets the time that it reads. */
export type StoreUnderTest = { readonly stores: Stores; readonly now: (ms: number) => void };

/** The test runner's own functions come from outside, so that any runner will do. */
export type Runner = {
  readonly test: (name: string, body: () => Promise<void>) => void;
  readonly expect: (value: unknown) => { toEqual(wanted: unknown): void; toBe(wanted: unknown): void };
};

/** One rule and its proof on a fresh, empty store. */
export type Proof = (under: StoreUnderTest, expect: Runner["expect"]) => Promise<void>;

export const main = laneOf("s1");
export const lane = { ...laneOf("s1"), lane: brand<"LaneId">("child") };
export const project: StreamId = { type: "project", project: brand("p1") };

export function laneOf(id: string): Extract<StreamId, { type: "lane" }> {
  const session: SessionId = brand(id);
  return { type: "lane", session, lane: mainLane };
}

export function started(id: string, owner = "p1"): EntryBody {
  const [session, project]: [SessionId, ProjectId] = [brand(id), brand(owner)];
  return { type: "session-started", format: 1, session, lane: mainLane, project, cwd: "/work", version: "0" };
}

export function said(text: string): EntryBody {
  return { type: "message-added", text };
}

export async function fenceOf(log: LogStore, stream: StreamId, owner = "test"): Promise<number> {
  const lease = await log.lease(stream, owner);
  if (lease.type !== "leased") throw new Error(`no lease: ${JSON.stringify(lease)}`);
  return lease.fence;
}

export async function write(log: LogStore, stream: StreamId, entries: readonly EntryBody[]): Promise<void> {
  const result = await log.append({ stream, expectedSeq: 0, fence: await fenceOf(log, stream), entries });
  if (result.type !== "appended") throw new Error(`not appended: ${JSON.stringify(result)}`);
}

export async function all(
  log: LogStore,
  stream: StreamId,
  from: Position | null = null,
  onPosition: (position: Position) => void = () => undefined,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of log.read(stream, from, { onPosition })) entries.push(entry);
  return entries;
}

export function textIn(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

export async function failed(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  );
}
