import type { SessionId } from "../kernel/ids.ts";
import type { CommandResult } from "../session/command-result.ts";
import type { OpenSession } from "../session/options.ts";
import { chosenModel } from "./chosen-model.ts";
import { CommandError, exitCodes, exitOfTurn, UsageError } from "./exit.ts";
import { type Home, newestSession, openHome, sessionNamed } from "./home.ts";
import { type OpenFlags, openedSession, stateOf } from "./open-session.ts";
import { homeOf, oneOf } from "./settings.ts";
import { readStdin } from "./stdin.ts";
import { watch } from "./tally.ts";
import { say } from "./terminal.ts";
import { finishTurn } from "./turn-result.ts";
import { localIn, printHelp, sessionFor, toldLine } from "./typed-line.ts";

export type PrintFlags = OpenFlags & {
  readonly print?: string | boolean;
  readonly outputFormat?: string;
  readonly continue?: boolean;
  readonly resume?: string;
  readonly fork?: boolean;
};

/** `varve -p`: one turn without a screen. Results on stdout, progress on stderr; the exit code says how it ended. */
export async function runPrint(flags: PrintFlags): Promise<number> {
  const format = oneOf("--output-format", ["text", "json", "stream-json"], flags.outputFormat ?? "text");
  const given = typeof flags.print === "string" ? flags.print : "";
  const piped = await readStdin(given !== "");
  const prompt = [given, piped].filter((part) => part.trim() !== "").join("\n\n");
  const home = await openHome(homeOf(process.env), process.cwd());
  const local = localIn(given);
  const named = await sessionFrom(flags, home);
  if (local === "help" && named === null) return await printHelp(format, home);
  // Beside a session a local command says nothing: left out, it is the newest one, as for `varve context`.
  const from = named ?? (local === null ? null : await newestSession(home));
  if (prompt === "" && from === null)
    throw new UsageError('nothing to do: give a prompt, as in `varve -p "fix the tests"`, or pipe one in');
  const asItIs = local === null || from === null ? null : await sessionFor(local, flags, home, from);
  const session = asItIs ?? (await opened(flags, home, from));
  const tally = watch(session, format);
  const waiting = session.state().facts.proposed;
  const unhook = onInterrupt(session);
  try {
    const result = await carriedOut(session, { prompt, given, piped });
    if (result.type !== "turn" && result.type !== "lane") return toldLine(format, result, session.id);
    const { turn } = result;
    const spent = result.type === "lane" ? result.spent : tally();
    await finishTurn(format, session, { turn, spent, waiting });
    return exitOfTurn[turn.reason];
  } finally {
    unhook();
    await session.close();
  }
}

/** What is typed may call a command; what is piped in is text. */
async function carriedOut(
  session: OpenSession,
  { prompt, given, piped }: { readonly prompt: string; readonly given: string; readonly piped: string },
): Promise<CommandResult> {
  if (given.startsWith("/")) return await session.command(prompt);
  const turn = prompt === "" ? await session.resume() : await session.prompt(prompt, given === "" ? piped : given);
  if (turn === null)
    throw new CommandError("nothing to resume: the last turn of this session has ended; give a prompt");
  return { type: "turn", turn };
}

async function sessionFrom(flags: PrintFlags, home: Home): Promise<SessionId | null> {
  if (flags.resume !== undefined) return await sessionNamed(home, flags.resume);
  if (flags.continue === true) return await newestSession(home);
  if (flags.fork === true) throw new UsageError("--fork needs a session: add --continue or --resume ID");
  return null;
}

/** A new session, `from` gone on with, or a copy of it. */
async function opened(flags: PrintFlags, home: Home, from: SessionId | null): Promise<OpenSession> {
  const before = from === null ? null : await stateOf(home, from);
  const session = await openedSession(flags, home, {
    before,
    chosen: () => chosenModel(flags, home.root, before?.model ?? null),
    ...(from === null ? {} : { open: { type: flags.fork === true ? "fork" : "resume", session: from } }),
  });
  if (flags.permissionMode === undefined && before !== null && session.state().mode === "bypassPermissions")
    say("varve: going on in this session's mode, bypassPermissions: nothing asks; --permission-mode changes it");
  return session;
}

/** The first interrupt stops what is under way and keeps the session whole; the second ends the process at once. */
export function onInterrupt(session: OpenSession, told: () => void = () => {}): () => void {
  let asked = false;
  const handle = () => {
    if (asked) process.exit(exitCodes.interrupted);
    asked = true;
    told();
    say("varve: interrupting; once more to end at once");
    session.interrupt("a signal").catch((error: unknown) => {
      say(`varve: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(exitCodes.interrupted);
    });
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return () => process.off("SIGINT", handle).off("SIGTERM", handle);
}
