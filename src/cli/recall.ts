import { sessionIndex } from "../adapters/index-session.ts";
import type { SessionId } from "../kernel/ids.ts";
import type { Found, Index } from "../ports/index-port.ts";
import { bareHandle, faultOf } from "../tools/recall.ts";
import { searchAll, whyNotFound } from "../tools/recall-all.ts";
import { type Part, partOf, type Wanted } from "../tools/recall-part.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { type Home, sessionNamed, viewHome } from "./home.ts";
import { type Asked, askedBy, type RecallFlags } from "./recall-operands.ts";
import { homeOf, positive } from "./settings.ts";
import { endingInLine, say } from "./terminal.ts";

/**
 * `varve recall`: what the tool of that name gives, on stdout, but never cut: nobody pays for it by the token. Nothing found
 * is exit code 1, as for grep.
 */
export async function runRecall(
  operands: readonly string[],
  flags: RecallFlags & { readonly session?: string },
): Promise<number> {
  const { handle, wanted, from } = checked(askedBy(operands, flags), flags);
  const home = await viewHome(homeOf(process.env), process.cwd());
  if (handle === null) {
    const session = await sessionNamed(home, flags.session);
    const index = sessionIndex({ ...home, session });
    return write(await searchAll(index, wanted.search ?? "", from, new AbortController().signal), false);
  }
  const sessions = flags.session === undefined ? await sessionsOf(home) : [await sessionNamed(home, flags.session)];
  const found = await originalIn(sessions, home, handle);
  const isWhole = Object.values(wanted).every((value) => value === undefined);
  if (isWhole) process.stdout.write(found.text);
  return isWhole ? exitCodes.done : write(partOf(found.handle, found.text, wanted, null), true);
}

type Checked = { readonly handle: string | null; readonly wanted: Wanted; readonly from: number };

function checked({ handle: given, wanted }: Asked, flags: RecallFlags): Checked {
  const handle = given === null ? null : bareHandle(given);
  const from = positive("--from", flags.from) ?? 1;
  const fault = faultOf(wanted);
  if (fault !== null) throw new UsageError(fault);
  if (handle !== null && !/^[a-z0-9]+$/.test(handle))
    throw new UsageError(`"${handle.slice(0, 80)}" is no handle: expected letters and digits`);
  const { search, ...rest } = wanted;
  if (handle === null && (search === undefined || Object.values(rest).some((value) => value !== undefined)))
    throw new UsageError("recall what? Name a handle, or words: `varve recall search WORDS`");
  return { handle, wanted, from };
}

const sessionsMax = 200;

/** Newest first: a handle names content, so any session that has it gives the same bytes. */
async function sessionsOf({ stores, project }: Home): Promise<readonly SessionId[]> {
  return (await stores.log.list({ project, limit: sessionsMax })).map(({ session }) => session);
}

async function originalIn(
  sessions: readonly SessionId[],
  home: Home,
  handle: string,
): Promise<Extract<Found, { readonly type: "found" }>> {
  let missed: Exclude<Found, { readonly type: "found" }> | null = null;
  for (const session of sessions) {
    const index: Index = sessionIndex({ ...home, session });
    const found = await index.find(handle);
    if (found.type === "found") return found;
    // What is known of it says more than that another session knows nothing.
    if (missed === null || missed.type === "unknown")
      missed = missed !== null && found.type === "unknown" ? missed : found;
  }
  if (missed === null)
    throw new CommandError(`no result with the handle ${handle}: there is no session of this project yet`);
  throw new CommandError(whyNotFound(handle, missed));
}

function write(part: Part, isExact: boolean): number {
  if (part.type === "bad") throw new CommandError(part.why);
  if (part.type === "none") {
    say(`varve: ${part.why}`);
    return exitCodes.failed;
  }
  process.stdout.write(isExact ? endingInLine(part.text) : `${part.text}\n`);
  return exitCodes.done;
}
