import { systemClock } from "../adapters/clock.ts";
import { projectOf } from "../adapters/project.ts";
import { fileStore } from "../adapters/store-file.ts";
import { brand, type Hash, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import type { Stores, StreamId } from "../ports/store.ts";
import { CommandError } from "./exit.ts";

/** The stores under `VARVE_HOME` and the project of the working directory. */
export type Home = {
  readonly root: string;
  readonly cwd: string;
  readonly stores: Stores;
  readonly project: ProjectId | null;
};

export async function openHome(root: string, cwd: string): Promise<Home> {
  const stores = fileStore({ root, clock: systemClock });
  const found = await projectOf({ root, cwd });
  if (found.note !== null) process.stderr.write(`varve: ${found.note}\n`);
  return { root, cwd, stores, project: found.project };
}

/** The newest session of this project. */
export async function newestSession({ stores, project }: Home): Promise<SessionId> {
  const [newest] = await stores.log.list({ project, limit: 1 });
  if (newest === undefined)
    throw new CommandError('there is no session of this project yet; start one with `varve -p "..."`');
  return newest.session;
}

/** A session by its id, or by a beginning of it that only one has; nothing named: the newest. */
export async function sessionNamed(home: Home, name: string | undefined): Promise<SessionId> {
  if (name === undefined) return await newestSession(home);
  const all = await home.stores.log.list({ project: null, limit: sessionsListedMax });
  const found = all.filter(({ session }) => session === name || session.startsWith(name));
  const exact = found.find(({ session }) => session === name);
  if (exact !== undefined) return exact.session;
  if (found.length > 1) throw new CommandError(`"${name}" names ${found.length} sessions; give more of the id`);
  return found[0]?.session ?? brand(noSession(name));
}

export function mainStream(session: SessionId): StreamId {
  return { type: "lane", session, lane: mainLane };
}

/** Blob texts of a stream, for rendering what was sent. */
export function blobReader({ stores }: Home, stream: StreamId): (hash: Hash) => Promise<string | null> {
  return async (hash) => {
    const bytes = await stores.blobs.get(stream, hash);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
}

const sessionsListedMax = 10_000;

function noSession(name: string): never {
  throw new CommandError(`there is no session "${name}"; \`varve log --list\` lists those of this project`);
}
