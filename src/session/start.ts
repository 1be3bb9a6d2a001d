import { isName } from "../adapters/store-file-path.ts";
import { type Loaded, loadState } from "../agent/stored-state.ts";
import { brand, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import { type EntryBody, logFormat } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { LeaseResult, Stores, StreamId } from "../ports/store.ts";
import type { Ids } from "../ports/world.ts";
import { version } from "../version.ts";
import { type Described, modelOf, SessionOpenError, type SessionOptions } from "./options.ts";

export async function sessionOf(options: SessionOptions, stores: Stores, ids: Ids): Promise<SessionId> {
  const open = options.open ?? { type: "new" };
  if (open.type === "new") return ids.session();
  const found = await existing(open.session, stores);
  if (open.type === "resume") return found;
  const id = ids.session();
  await stores.log.fork(mainOf(found), open.upTo ?? Number.POSITIVE_INFINITY, id);
  return id;
}

export type LaneStream = Extract<StreamId, { readonly type: "lane" }>;

export function mainOf(session: SessionId): LaneStream {
  return { type: "lane", session, lane: mainLane };
}

/** Looked at before anything is taken or written: an id that names no session leaves no lease and no folder behind. */
async function existing(id: string, { log }: Stores): Promise<SessionId> {
  const session: SessionId = brand(id);
  const entries = isName(id) ? log.read(mainOf(session), null) : [];
  for await (const { seq } of entries) if (seq >= 0) return session;
  const shown = JSON.stringify(id.slice(0, 80));
  throw new SessionOpenError("not-found", `there is no session ${shown}; \`varve log --list\` lists them`);
}

/** The log's state; a new log gets its first entries, a fork the entry that says where it came from. */
export async function started(options: Described, stores: Stores, stream: LaneStream, fence: number): Promise<Loaded> {
  const loaded = await loadState(stores.log, stores.checkpoints, stream);
  const first = [...firstEntries(options, stream.session, loaded), ...describing(options, loaded.state)];
  if (first.length === 0) return loaded;
  const result = await stores.log.append({ stream, expectedSeq: loaded.state.seq, fence, entries: first });
  if (result.type === "refused") throw new SessionOpenError("refused", `the session cannot be saved: ${result.why}`);
  if (result.type !== "appended") throw new SessionOpenError("busy", "another process writes to this session");
  return await loadState(stores.log, null, stream);
}

/** A session stays in its project, wherever it is gone on with. */
export function projectIn({ project = null }: SessionOptions, { state }: Loaded): ProjectId | null {
  return state.started === null ? project : state.started.project;
}

function firstEntries(options: SessionOptions, session: SessionId, { state }: Loaded): readonly EntryBody[] {
  const { started: before } = state;
  // A new log, or one that lost its first line.
  if (before === null) {
    const { cwd, project = null } = options;
    return [{ type: "session-started", format: logFormat, session, lane: mainLane, project, cwd, version }];
  }
  if (before.session === session) return [];
  return [{ type: "session-forked", session, from: before.session, fromSeq: state.seq }];
}

/** What is decided by a listing stands in the log before it is. */
function describing(options: Described, { described }: State): readonly EntryBody[] {
  const { model } = modelOf(options);
  const { inputTokensMax = null, outputTokensMax = null } = options.listed ?? {};
  const before = own(described, model);
  if (inputTokensMax === null && outputTokensMax === null) return [];
  if (before?.inputTokensMax === inputTokensMax && before.outputTokensMax === outputTokensMax) return [];
  return [{ type: "model-described", model, inputTokensMax, outputTokensMax, from: "the provider's own listing" }];
}

export function openError(lease: Exclude<LeaseResult, { readonly type: "leased" }>): SessionOpenError {
  if (lease.type === "refused") return new SessionOpenError("refused", `the session cannot be opened: ${lease.why}`);
  const since = new Date(lease.since).toISOString();
  return new SessionOpenError(
    "busy",
    `this session is open in ${lease.owner} since ${since}: end it there, or fork the session`,
  );
}
