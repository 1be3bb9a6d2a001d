import { stat } from "node:fs/promises";
import { loadState } from "../agent/stored-state.ts";
import { createSession, type OpenSession, SessionOpenError, type SessionOptions } from "../create-session.ts";
import type { SessionId } from "../kernel/ids.ts";
import { askAtTerminal } from "./ask.ts";
import { chosenModel } from "./chosen-model.ts";
import { CommandError, exitCodes, exitOfTurn, UsageError } from "./exit.ts";
import { type Home, mainStream, newestSession, openHome, sessionNamed } from "./home.ts";
import { modeFor, type PermissionFlags, permissionsFor } from "./permissions.ts";
import { unknownLines } from "./progress.ts";
import { type Flags, homeOf, oneOf, positive, verbosityOf } from "./settings.ts";
import { readStdin } from "./stdin.ts";
import { watch } from "./tally.ts";
import { say } from "./terminal.ts";
import { finishTurn } from "./turn-result.ts";

export type PrintFlags = Flags &
  PermissionFlags & {
    readonly print?: string | boolean;
    readonly outputFormat?: string;
    readonly continue?: boolean;
    readonly resume?: string;
    readonly fork?: boolean;
    readonly assembly?: string;
  };

/** `varve -p`: one turn without a screen. Results on stdout, progress on stderr; the exit code says how it ended. */
export async function runPrint(flags: PrintFlags): Promise<number> {
  const format = oneOf("--output-format", ["text", "json", "stream-json"], flags.outputFormat ?? "text");
  const given = typeof flags.print === "string" ? flags.print : "";
  const piped = await readStdin(given !== "");
  const prompt = [given, piped].filter((part) => part.trim() !== "").join("\n\n");
  const home = await openHome(homeOf(process.env), process.cwd());
  const from = await sessionFrom(flags, home);
  if (prompt === "" && from === null)
    throw new UsageError('nothing to do: give a prompt, as in `varve -p "fix the tests"`, or pipe one in');
  const session = await opened(flags, home, from);
  const tally = watch(session, format);
  const waiting = session.state().facts.proposed;
  const unhook = onInterrupt(session);
  try {
    const turn = prompt === "" ? await session.resume() : await session.prompt(prompt, given === "" ? piped : given);
    if (turn === null)
      throw new CommandError("nothing to resume: the last turn of this session has ended; give a prompt");
    await finishTurn(format, session, { turn, tally: tally(), waiting });
    return exitOfTurn[turn.reason];
  } finally {
    unhook();
    await session.close();
  }
}

async function sessionFrom(flags: PrintFlags, home: Home): Promise<SessionId | null> {
  if (flags.resume !== undefined) return await sessionNamed(home, flags.resume);
  if (flags.continue === true) return await newestSession(home);
  if (flags.fork === true) throw new UsageError("--fork needs a session: add --continue or --resume ID");
  return null;
}

async function opened(flags: PrintFlags, home: Home, from: SessionId | null): Promise<OpenSession> {
  const { stores, project, cwd } = home;
  const before = from === null ? null : (await loadState(stores.log, stores.checkpoints, mainStream(from))).state;
  const stepsMax = positive("--max-turns", flags.maxTurns);
  const workspace = await workspaceFor(before?.started?.cwd, cwd);
  const permissions = await permissionsFor(flags, { home: home.root, cwd: workspace });
  const mode = modeFor(flags, permissions, before?.mode ?? null);
  const verbosity = verbosityOf(flags);
  const options: SessionOptions = {
    ...(await chosenModel(flags, home.root, before?.model ?? null)),
    cwd: workspace,
    permissions,
    guards: permissions.guards,
    onMasked: () => say(secretTyped),
    home: home.root,
    web: { search: permissions.webSearch },
    project,
    world: { stores },
    ask: askAtTerminal,
    assembly: oneOf("--assembly", ["append", "boundary", "boundary-forced"], flags.assembly ?? "append"),
    ...(from === null ? {} : { open: { type: flags.fork === true ? "fork" : "resume", session: from } }),
    ...(mode === undefined ? {} : { mode }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(stepsMax === undefined ? {} : { stepsMax }),
  };
  const session = await createSession(options).catch((error: unknown) => {
    throw error instanceof SessionOpenError ? new CommandError(error.message) : error;
  });
  if (mode === undefined && before?.mode === "bypassPermissions")
    say("varve: going on in this session's mode, bypassPermissions: nothing asks; --permission-mode changes it");
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

/** The first interrupt stops the turn and keeps the session whole; the second ends the process at once. */
export function onInterrupt(session: OpenSession): () => void {
  let asked = false;
  const handle = () => {
    if (asked) process.exit(exitCodes.interrupted);
    asked = true;
    say("varve: interrupting; once more to end at once");
    session.interrupt("a signal").catch((error: unknown) => {
      say(`varve: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(exitCodes.interrupted);
    });
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return () => process.off("SIGINT", handle).off("SIGTERM", handle);
}
