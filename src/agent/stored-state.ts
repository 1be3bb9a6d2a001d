import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { encodeCheckpoint, readCheckpoint } from "../log/checkpoint.ts";
import { reduce } from "../log/reduce.ts";
import { emptyState, type State } from "../log/state.ts";
import type { CheckpointStore, Damage, LogStore, Position, StreamId } from "../ports/store.ts";

/** A lane's state as the store has it, and what was wrong with the log on the way. */
export type Loaded = {
  readonly state: State;
  readonly position: Position | null;
  readonly damage: readonly Damage[];
  /** Entries are missing or altered behind the newest request that is known: nobody can say what was sent last. */
  readonly sentUnsure: boolean;
  /** The number up to which a checkpoint told the state; 0 without one. */
  readonly checkpointSeq: number;
};

/** Reads the log from its newest checkpoint, or from its beginning where there is none that fits. */
export async function loadState(log: LogStore, checkpoints: CheckpointStore | null, stream: StreamId): Promise<Loaded> {
  const text = checkpoints === null ? null : await checkpoints.load(stream);
  const start = text === null ? null : startOf(text);
  const loaded = await readFrom(log, stream, start);
  // The log is no longer the one the checkpoint was made of: it says what happened, not the shortcut.
  return start !== null && loaded.damage.length > 0 ? await readFrom(log, stream, null) : loaded;
}

async function readFrom(log: LogStore, stream: StreamId, start: Start | null): Promise<Loaded> {
  const damage: Damage[] = [];
  let state = start?.state ?? emptyState;
  let position: Position | null = start?.position ?? null;
  let sentUnsure = false;
  const onDamage = (found: Damage) => {
    damage.push(found);
    sentUnsure ||= losesEntries.has(found.type);
  };
  const onPosition = (at: Position) => {
    position = at;
  };
  for await (const entry of log.read(stream, position, { onDamage, onPosition })) {
    state = reduce(state, entry);
    // The chain of a request vouches for all before it; a break begins anew.
    if (entry.type === "request-sent" || entry.type === "epoch-opened") sentUnsure = false;
  }
  return { state, position, damage, sentUnsure, checkpointSeq: start?.state.seq ?? 0 };
}

/** A torn last line was never answered by anybody; a copy says nothing new. */
const losesEntries: ReadonlySet<Damage["type"]> = new Set(["unreadable", "gap", "broken-chain", "same-seq"]);

/** Below this many entries reading the log again is as quick as reading a checkpoint. */
const checkpointEntriesMin = 200;

export async function saveState(
  log: LogStore,
  checkpoints: CheckpointStore,
  stream: StreamId,
  opened: Loaded,
): Promise<void> {
  // A damaged log is read whole each time, so that each opening names the damage.
  if (opened.damage.length > 0) return;
  const now = await readOn(log, stream, opened);
  if (now.position === null || now.state.seq - opened.checkpointSeq < checkpointEntriesMin) return;
  await checkpoints.save(stream, encodeCheckpoint(now.position, JSON.stringify(now.state)));
}

/** What was appended since: read back rather than remembered, so that a checkpoint never says more than the log. */
async function readOn(
  log: LogStore,
  stream: StreamId,
  { state: before, position: from }: Loaded,
): Promise<Pick<Loaded, "state" | "position">> {
  let state = before;
  let position = from;
  const onPosition = (at: Position) => {
    position = at;
  };
  for await (const entry of log.read(stream, from, { onPosition })) state = reduce(state, entry);
  return { state, position };
}

type Start = { readonly state: State; readonly position: Position };

function startOf(text: string): Start | null {
  const checkpoint = readCheckpoint(text);
  if (checkpoint === null) return null;
  const parsed = parseJson(checkpoint.stateText);
  if (parsed.type === "bad" || !isState(parsed.value)) return null;
  return { state: parsed.value, position: checkpoint.position };
}

/** The checkpoint's seal says these are our own bytes of this version; this only guards against an empty one. */
function isState(value: unknown): value is State {
  return isRecord(value) && typeof value.seq === "number" && Array.isArray(value.live);
}
