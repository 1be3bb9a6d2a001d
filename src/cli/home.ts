import { createInterface } from "node:readline/promises";
import { systemClock } from "../adapters/clock.ts";
import { answerCopied, type ProjectFound, peekProject, projectOf } from "../adapters/project.ts";
import { fileStore } from "../adapters/store-file.ts";
import { loadState } from "../agent/stored-state.ts";
import { brand, type Hash, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import type { Stores, StreamId } from "../ports/store.ts";
import { CommandError } from "./exit.ts";
import { say } from "./terminal.ts";

/** The stores under `VARVE_HOME` and the project of the working directory. */
export type Home = {
  readonly root: string;
  readonly cwd: string;
  readonly stores: Stores;
  readonly project: ProjectId | null;
};

/** For commands that only look: nothing is written, not even the project's id. */
export async function viewHome(root: string, cwd: string): Promise<Home> {
  return { root, cwd, stores: fileStore({ root, clock: systemClock }), project: await peekProject(cwd) };
}

export async function openHome(root: string, cwd: string): Promise<Home> {
  const stores = fileStore({ root, clock: systemClock });
  const found = await projectOf({ root, cwd });
  const { project, note } = found.type === "copied" ? await answered(root, found) : found;
  if (note !== null) say(`varve: ${note}`);
  return { root, cwd, stores, project };
}

type Copied = Extract<ProjectFound, { readonly type: "copied" }>;

/** A copied folder is asked about once, where somebody is there to answer; else its note is shown and nothing decided. */
async function answered(root: string, found: Copied): Promise<ProjectFound> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return found;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${found.note}.\nIs this the same project (s) or one of its own (o)? `);
    if (/^s/i.test(answer)) return await answerCopied(root, found, "same");
    return /^o/i.test(answer) ? await answerCopied(root, found, "separate") : found;
  } finally {
    terminal.close();
  }
}

/** The newest session of this project. */
export async function newestSession(home: Home): Promise<SessionId> {
  const found = await home.stores.log.list({ project: home.project, limit: sessionsListedMax });
  for (const { session, title } of found) if (title !== "" || !(await isUnused(home, session))) return session;
  if (found[0] !== undefined) return found[0].session;
  throw new CommandError('there is no session of this project yet; start one with `varve -p "..."`');
}

/** It was opened for a line that came to nothing, such as a mistyped command: who goes on means the one before. */
async function isUnused({ stores }: Home, session: SessionId): Promise<boolean> {
  // A damaged one is not passed over in silence: opening it says what is wrong.
  const loaded = await loadState(stores.log, stores.checkpoints, mainStream(session)).catch(() => null);
  if (loaded === null || loaded.damage.length > 0) return false;
  return loaded.state.turns === 0 && loaded.state.lanes.started === 0;
}

/** A session by its id, or by a beginning of it that only one has; nothing named: the newest. */
export async function sessionNamed(home: Home, name: string | undefined): Promise<SessionId> {
  if (name === undefined) return await newestSession(home);
  const all = await home.stores.log.list({ project: null, limit: sessionsListedMax });
  const found = all.filter(({ session }) => session === name || (name !== "" && session.startsWith(name)));
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
