import { processOwner } from "../adapters/environment.ts";
import { projectFacts } from "../adapters/project-facts.ts";
import { settingOf } from "../agent/facts.ts";
import { loadState } from "../agent/stored-state.ts";
import { own } from "../kernel/own.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import { type FactState, noFacts } from "../log/facts.ts";
import { reduceAll } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import { type FactChange, type FactCommand, factChange } from "../memory/fact-commands.ts";
import { mirrored } from "../memory/project-facts.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { factsJson, factsLines } from "./facts-text.ts";
import { type Home, mainStream, newestSession, openHome, sessionNamed, viewHome } from "./home.ts";
import { readModelsFile } from "./models-file.ts";
import { typedSecret } from "./secrets.ts";
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

function commandOf(action: string, args: readonly string[], flags: Flags): FactCommand {
  const scope = flags.project === true ? "project" : "session";
  const [first = ""] = args;
  const one = (what: string) => {
    if (args.length === 1) return first;
    throw new UsageError(`facts ${action}: expected one ${what}, got ${args.length}`);
  };
  if (action === "pin") {
    if (args.length === 0) throw new UsageError("facts pin: expected the words to keep");
    return { type: "pin", text: unmasked(args.join(" ")), scope };
  }
  if (action === "retire") return { type: "retire", fact: one("id") };
  if (action === "accept") return { type: "accept", fact: one("id"), scope };
  if (action === "refuse") return { type: "refuse", fact: one("id") };
  if (action !== "merge")
    throw new UsageError(`facts: expected list, pin, retire, merge, accept or refuse; got "${action}"`);
  const until = args.findIndex((word) => !/^f[0-9a-f]{2,9}$/.test(word));
  if (until < 2) throw new UsageError("facts merge: expected two ids or more, then the words in their place");
  const text = unmasked(args.slice(until).join(" "));
  const merge = { type: "merge", facts: args.slice(0, until), text } as const;
  return flags.project === true ? { ...merge, scope: "project" } : merge;
}

/** A fact goes with every request: a secret in it would be sent again and again. */
function unmasked(text: string): string {
  if (typedSecret(text, process.env)) throw new CommandError("the text holds a secret of the environment: not kept");
  return text;
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

async function stateIn(home: Home, name: string | undefined): Promise<State | null> {
  const [newest] = await home.stores.log.list({ project: home.project, limit: 1 });
  if (name === undefined && newest === undefined) return null;
  const session = name === undefined ? await newestSession(home) : await sessionNamed(home, name);
  return (await loadState(home.stores.log, home.stores.checkpoints, mainStream(session))).state;
}

/** The session's facts with what its project's stream says by now. */
async function viewed(home: Home, state: State | null) {
  const project = projectFacts(home.stores.log, state?.started?.project ?? home.project);
  const active = await project.read();
  const { windows } = await readModelsFile(home.root);
  if (state === null) {
    const facts: FactState = { ...noFacts, active: active ?? [] };
    return { news: [], facts, setting: { windowTokens: null, isShown: false }, project };
  }
  const setting = settingOf(state, { windowFor: (model) => own(windows, model) ?? null });
  const news: readonly EntryBody[] = active === null ? [] : mirrored(state.facts, active, setting);
  const entries = news.map((body, at): Entry => ({ ...body, seq: state.seq + 1 + at, at: state.at }));
  return { news, facts: reduceAll(state, entries).facts, setting, project };
}
