import { processOwner } from "../adapters/environment.ts";
import { projectFacts } from "../adapters/project-facts.ts";
import { loadState } from "../agent/stored-state.ts";
import { noFacts } from "../log/facts.ts";
import type { State } from "../log/state.ts";
import { type FactChange, type FactCommand, factChange } from "../memory/fact-commands.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { commandOf } from "./fact-command.ts";
import { factsJson, factsLines } from "./facts-text.ts";
import { stateIn, viewed } from "./facts-view.ts";
import { type Home, mainStream, openHome, viewHome } from "./home.ts";
import { homeOf } from "./settings.ts";

type Flags = { readonly project?: boolean; readonly session?: string; readonly json?: boolean };

/** `varve facts`: lists them, or carries out what the user says of one; without a session at hand, of the project's alone. */
export async function runFacts(action: string, args: readonly string[], flags: Flags): Promise<number> {
  if (action === "list") return await list(args, flags);
  const command = commandOf(action, args, flags);
  const home = await openHome(homeOf(process.env), process.cwd());
  const change = await changed(home, command, flags);
  if (change.type === "refused") throw new CommandError(change.why);
  process.stdout.write(flags.json === true ? `${JSON.stringify({ done: change.said })}\n` : `${change.said}\n`);
  return exitCodes.done;
}

async function list(args: readonly string[], flags: Flags): Promise<number> {
  if (args.length > 0) throw new UsageError("facts list takes no more words");
  const home = await viewHome(homeOf(process.env), process.cwd());
  const { facts, setting } = await viewed(home, await stateIn(home, flags.session));
  process.stdout.write(flags.json === true ? `${factsJson(facts, setting)}\n` : factsLines(facts, setting));
  return exitCodes.done;
}

async function changed(home: Home, command: FactCommand, flags: Flags): Promise<FactChange> {
  const state = await stateIn(home, flags.session);
  if (state !== null) return await changedIn(home, state, command);
  const isForProject = "scope" in command && command.scope === "project";
  if (command.type !== "retire" && command.type !== "merge" && !isForProject)
    throw new CommandError("there is no session of this project yet; --project pins for all that will be");
  const project = projectFacts(home.stores.log, home.project);
  const active = (await project.read()) ?? [];
  const change = factChange({ ...noFacts, active }, command, { windowTokens: null, isShown: false });
  if (change.type === "refused") return change;
  const fault = await project.change(change.project);
  return fault === null ? change : { type: "refused", why: fault };
}

/** Under the session's lease; the project's stream first, for what a crash leaves undone here is taken over later. */
async function changedIn(home: Home, { started }: State, command: FactCommand): Promise<FactChange> {
  if (started === null) throw new CommandError("the session has lost its first entry");
  const { log, checkpoints } = home.stores;
  const stream = mainStream(started.session);
  const lease = await log.lease(stream, processOwner());
  if (lease.type === "busy") throw new CommandError(`the session is open in ${lease.owner}: end it there first`);
  if (lease.type === "refused") throw new CommandError(`the session cannot be opened: ${lease.why}`);
  try {
    const { state } = await loadState(log, checkpoints, stream);
    const { news, facts, setting, project } = await viewed(home, state);
    const change = factChange(facts, command, setting);
    if (change.type === "refused") return change;
    const fault = change.project.length === 0 ? null : await project.change(change.project);
    if (fault !== null) return { type: "refused", why: fault };
    const entries = [...news, ...change.session];
    const result = await log.append({ stream, expectedSeq: state.seq, fence: lease.fence, entries });
    if (result.type === "appended") return change;
    const why = result.type === "refused" ? result.why : "another process wrote to it";
    return { type: "refused", why: `the session could not be saved: ${why}` };
  } finally {
    await lease.release();
  }
}
