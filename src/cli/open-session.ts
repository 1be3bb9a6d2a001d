import { stat } from "node:fs/promises";
import { serversFor } from "../adapters/server-files.ts";
import { loadState } from "../agent/stored-state.ts";
import type { SessionId } from "../kernel/ids.ts";
import type { State } from "../log/state.ts";
import { createSession } from "../session/create-session.ts";
import { type OpenSession, SessionOpenError, type SessionOptions } from "../session/options.ts";
import { askAtTerminal } from "./ask.ts";
import type { Chosen } from "./chosen-model.ts";
import { CommandError } from "./exit.ts";
import { type Home, mainStream } from "./home.ts";
import { serversPlace } from "./mcp-place.ts";
import { modeFor, type PermissionFlags, permissionsFor, trustFor } from "./permissions.ts";
import { unknownLines } from "./progress.ts";
import { chosenReductions, type Flags, oneOf, positive, verbosityOf } from "./settings.ts";
import { styleFor } from "./style.ts";
import { printable, say } from "./terminal.ts";

export type OpenFlags = Flags & PermissionFlags & { readonly assembly?: string; readonly outputStyle?: string };

export async function stateOf({ stores }: Home, session: SessionId): Promise<State> {
  return (await loadState(stores.log, stores.checkpoints, mainStream(session))).state;
}

type Opening = {
  /** What the log of the session says that is gone on with; null: it is a new one. */
  readonly before: State | null;
  readonly chosen: () => Promise<Chosen>;
  readonly open?: NonNullable<SessionOptions["open"]>;
  readonly reductions?: NonNullable<SessionOptions["reductions"]>;
};

/** A session to work in, as flags and settings say: permissions, secrets, mode, limits. */
export async function openedSession(
  flags: OpenFlags,
  home: Home,
  { before, chosen, reductions, ...rest }: Opening,
): Promise<OpenSession> {
  const stepsMax = positive("--max-turns", flags.maxTurns);
  const workspace = await workspaceFor(before?.started?.cwd, home.cwd);
  const permissions = await permissionsFor(flags, { home: home.root, cwd: workspace });
  const mode = modeFor(flags, permissions, before?.mode ?? null);
  const verbosity = verbosityOf(flags);
  const place = { root: home.root, cwd: workspace };
  const style = await styleFor(flags.outputStyle, permissions.outputStyle, before, place);
  return await opened(before, {
    ...(await chosen()),
    ...placed(home, workspace),
    servers: await serversIn(workspace, home, flags),
    permissions,
    guards: permissions.guards,
    hooks: permissions.hooks,
    onMasked: () => say(secretTyped),
    onNote: (text) => say(`varve: ${printable(text)}`),
    isTrusted: trustFor(flags, home.root),
    web: { search: permissions.webSearch },
    ask: askAtTerminal,
    assembly: oneOf("--assembly", ["append", "boundary", "boundary-forced"], flags.assembly ?? "append"),
    ...rest,
    reductions: { ...chosenReductions(flags), ...reductions },
    ...(mode === undefined ? {} : { mode }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(style === undefined ? {} : { style }),
    ...(stepsMax === undefined ? {} : { stepsMax }),
  });
}

/** The MCP servers that are configured here, and a word on those that cannot be started. */
export async function serversIn(cwd: string, home: Home, flags: PermissionFlags) {
  const { entries, faults, warnings } = await serversFor(serversPlace({ ...home, cwd }, flags));
  for (const line of [...faults, ...warnings]) say(`varve: ${printable(line)}`);
  return entries;
}

/** A session as it stands, to look at or to put back: no settings are read, nothing is asked, no tool is run in it. */
export async function sessionAsItIs(
  home: Home,
  before: State,
  session: SessionId,
  { chosen, ...rest }: { readonly chosen: Chosen } & Pick<Opening, "reductions"> & Pick<SessionOptions, "servers">,
): Promise<OpenSession> {
  const cwd = before.started?.cwd ?? home.cwd;
  return await opened(before, { ...chosen, ...placed(home, cwd), ...rest, open: { type: "resume", session } });
}

function placed({ root, project, stores }: Home, cwd: string) {
  return { cwd, home: root, project, world: { stores } };
}

async function opened(before: State | null, options: SessionOptions): Promise<OpenSession> {
  const session = await createSession(options).catch((error: unknown) => {
    throw error instanceof SessionOpenError ? new CommandError(error.message) : error;
  });
  for (const line of unknownLines(before?.calls ?? [])) say(`varve: ${line}`);
  for (const line of session.warnings) say(`varve: ${line}`);
  for (const found of session.damage) say(`varve: line ${found.line} of the log: ${found.type}, ${found.detail}`);
  return session;
}

const secretTyped =
  "varve: your message holds a secret of the environment; it was masked before it was kept and sent (docs/security.md)";

/** The session's own folder; where it is gone (the project was moved), the one we stand in. */
async function workspaceFor(before: string | undefined, cwd: string): Promise<string> {
  if (before === undefined || before === cwd) return cwd;
  const found = await stat(before).catch(() => null);
  if (found?.isDirectory()) {
    say(`varve: going on in ${before}, where this session was started`);
    return before;
  }
  say(`varve: ${before} is gone; going on in ${cwd}`);
  return cwd;
}
