import { loadState } from "../agent/stored-state.ts";
import type { SessionId } from "../kernel/ids.ts";
import { itemsOf } from "../kernel/vector.ts";
import { recallTool } from "../tools/recall.ts";
import type { ToolContext } from "../tools/tool.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { blobReader, type Home, mainStream, sessionNamed, viewHome } from "./home.ts";
import { homeOf } from "./settings.ts";
import { endingInLine } from "./terminal.ts";

type Flags = {
  readonly session?: string;
  readonly lines?: string;
  readonly search?: string;
  readonly jsonPath?: string;
};

/** `varve recall`: the same as the tool of that name, on stdout, whole unless a part is asked for. */
export async function runRecall(handle: string, flags: Flags): Promise<number> {
  const { startLine, endLine } = linesOf(flags.lines);
  const parsed = recallTool().parse({ handle, startLine, endLine, jsonPath: flags.jsonPath, search: flags.search });
  if (parsed.type === "bad") throw new UsageError(parsed.why);
  const home = await viewHome(homeOf(process.env), process.cwd());
  const sessions = flags.session === undefined ? await sessionsOf(home) : [await sessionNamed(home, flags.session)];
  for (const session of sessions) {
    const text = await originalIn(home, session, handle);
    if (text === null) continue;
    const context: ToolContext = {
      cwd: home.cwd,
      seen: () => null,
      original: async () => ({ text }),
      mode: () => "default",
      modeBefore: () => "default",
      tasksStarted: () => 0,
      tasksEnded: () => ({}),
      onProgress: () => {},
    };
    const outcome = await parsed.call.run(context, new AbortController().signal);
    if (outcome.ending !== "done") throw new CommandError(outcome.output);
    const whole = [startLine, endLine, flags.jsonPath, flags.search].every((part) => part === undefined);
    process.stdout.write(whole ? text : endingInLine(outcome.output));
    return exitCodes.done;
  }
  throw new CommandError(`no result with the handle ${handle} in ${sessions.length} sessions of this project`);
}

const sessionsMax = 200;

/** Newest first: a handle names content, so any session that has it gives the same bytes. */
async function sessionsOf({ stores, project }: Home): Promise<readonly SessionId[]> {
  return (await stores.log.list({ project, limit: sessionsMax })).map(({ session }) => session);
}

async function originalIn(home: Home, session: SessionId, handle: string): Promise<string | null> {
  const stream = mainStream(session);
  const { state } = await loadState(home.stores.log, home.stores.checkpoints, stream);
  for (const { handle: known, text } of itemsOf(state.originals)) {
    if (known !== handle) continue;
    return typeof text === "string" ? text : await blobReader(home, stream)(text.blob);
  }
  return null;
}

function linesOf(range: string | undefined): { readonly startLine?: number; readonly endLine?: number } {
  if (range === undefined) return {};
  const found = /^(\d+)(?:-(\d+))?$/.exec(range);
  if (found === null) throw new UsageError(`--lines: expected a range such as 10-20, got "${range}"`);
  return { startLine: Number(found[1]), endLine: Number(found[2] ?? found[1]) };
}
