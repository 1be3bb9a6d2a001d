import { systemClock } from "./adapters/clock.ts";
import { type BudgetFile, budgetFile } from "./adapters/context-budget.ts";
import { describedModel } from "./adapters/described-model.ts";
import { laneEffects } from "./adapters/effects.ts";
import { defaultHome, parentEnvironment, processOwner, userHome } from "./adapters/environment.ts";
import { isFolder, nodeFs } from "./adapters/fs.ts";
import { freedBySandbox, type Guarded, guardSession } from "./adapters/guarded.ts";
import { randomIds } from "./adapters/ids.ts";
import { sessionIndex } from "./adapters/index-session.ts";
import { maskedEffects } from "./adapters/masked-effects.ts";
import { maskedInput } from "./adapters/masked-input.ts";
import { type Endpoint, routedModel } from "./adapters/model-route.ts";
import { fileStore } from "./adapters/store-file.ts";
import { isName } from "./adapters/store-file-path.ts";
import { keyOf, workspaceOf } from "./adapters/workspace.ts";
import type { AgentConfig } from "./agent/config.ts";
import type { Effects } from "./agent/effects.ts";
import { clearingWarning } from "./agent/provider-clearing.ts";
import { bindsReasoning } from "./agent/reasoning.ts";
import { type Reductions, reductionsIn } from "./agent/reductions.ts";
import { openSession, type Session } from "./agent/session.ts";
import { type Loaded, loadState, saveState } from "./agent/stored-state.ts";
import type { PriceRow } from "./budget/price-row.ts";
import type { WindowSettings } from "./budget/window.ts";
import { firstForm } from "./digest/first-form.ts";
import { bounds } from "./kernel/bounds.ts";
import { brand, mainLane, type ProjectId, type SessionId } from "./kernel/ids.ts";
import { own } from "./kernel/own.ts";
import type { Wire } from "./kernel/usage.ts";
import { type EntryBody, logFormat, type ModelChoice, type PermissionMode, type Verbosity } from "./log/entry.ts";
import type { State } from "./log/state.ts";
import type { Background } from "./ports/background.ts";
import type { Index } from "./ports/index-port.ts";
import type { Model } from "./ports/model.ts";
import type { Damage, LeaseResult, Stores, StreamId } from "./ports/store.ts";
import type { Clock, Ids } from "./ports/world.ts";
import type { Assembly } from "./prompt/sections.ts";
import { codecFor } from "./provider/codecs.ts";
import { effortFault, type ListedModel, lifecycleWarning } from "./provider/listed-model.ts";
import { fittedTo, usualModel } from "./provider/usual-model.ts";
import { version } from "./version.ts";
import { faultLines } from "./workspace/context-caps.ts";
import { gitDoubt } from "./workspace/git-repository.ts";
import { type Guards, usualGuards } from "./workspace/guards.ts";
import { judge } from "./workspace/permission.ts";
import type { Ground } from "./workspace/permission-ground.ts";
import type { Rule } from "./workspace/rule.ts";
import type { SearchSettings } from "./workspace/settings.ts";

export type { Endpoint };

export type SessionOptions = {
  /** A model by name, with the usual settings, or with all that decides its cache key. */
  readonly model: string | ModelChoice;
  readonly endpoints: Partial<Readonly<Record<Wire, Endpoint>>>;
  /** The workspace: tools do not leave it. Absolute. */
  readonly cwd: string;
  /** Holds sessions and projects. Default: `~/.varve`. */
  readonly home?: string;
  readonly project?: ProjectId | null;
  /** Default `default`: reads are free, the rest asks, and without `ask` is refused. */
  readonly mode?: PermissionMode;
  /** How much the assistant says; left out: its usual. A resumed session keeps its own. */
  readonly verbosity?: Verbosity;
  readonly ask?: Effects["ask"];
  /** Rules that refuse, ask or allow beside the mode, and folders beside `cwd` that belong to the workspace. Default: none. */
  readonly permissions?: { readonly rules?: readonly Rule[]; readonly directories?: readonly string[] };
  /** Masking, the environment and the sandbox of commands (docs/security.md). Default: `usualGuards`. */
  readonly guards?: Guards;
  /** Told, once, when a message of the user held a secret: it was masked before it was kept and sent. */
  readonly onMasked?: () => void;
  /**
   * A server to search the web with (docs/tools.md); without one there is no WebSearch. `privateHosts`: hosts (`host:port`)
   * that WebFetch may read although they are private.
   */
  readonly web?: { readonly search?: SearchSettings | null; readonly privateHosts?: readonly string[] };
  /** Which session: a new one (default), one that exists, or a copy of one up to an entry (default: all of it). */
  readonly open?:
    | { readonly type: "new" }
    | { readonly type: "resume"; readonly session: string }
    | { readonly type: "fork"; readonly session: string; readonly upTo?: number };
  /**
   * How dynamic content is put together. `append` (default) never moves the prefix. `boundary` rebuilds the dynamic
   * sections each turn; where the model binds its reasoning to the prefix it is refused unless `boundary-forced`.
   */
  readonly assembly?: "append" | "boundary" | "boundary-forced";
  /** Model calls of one turn. Default and maximum: `bounds.stepsPerTurnMax`. */
  readonly stepsMax?: number;
  /** The chosen model's window where it is not the table's. */
  readonly window?: WindowSettings;
  /** The same for any model, by name. */
  readonly windows?: Readonly<Record<string, WindowSettings>>;
  /**
   * What the provider lists of the model. Left out: what is kept of it in the home, or else the provider is asked once,
   * shortly, where the model is known from nowhere else.
   */
  readonly listed?: ListedModel | null;
  /** Which reductions act beside first forms; left out, all of them do. A resumed session goes on with the provider's clearing. */
  readonly reductions?: Partial<Reductions>;
  /** Prices of one's own, which win over the table. */
  readonly prices?: readonly PriceRow[];
  /** For tests and embedding: parts of the world to use instead of the machine's own. */
  readonly world?: Partial<World>;
};

export type World = {
  readonly stores: Stores;
  readonly model: Model;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How results enter the prompt; the demo's comparison run shows them whole. */
  readonly firstForm: AgentConfig["firstForm"];
};

export type OpenSession = Session & {
  readonly id: SessionId;
  /** What reading the log found wrong; the session goes on. */
  readonly damage: readonly Damage[];
  /** What the user should know of the model: that it is on its way out. */
  readonly warnings: readonly string[];
  /** Ends what runs, keeps a checkpoint, gives the lease back. */
  close(): Promise<void>;
};

/** Why a session could not be opened. `busy`: another process has it; `refused`: the store cannot be written or read. */
export class SessionOpenError extends Error {
  readonly code: "busy" | "refused" | "not-found";
  constructor(code: SessionOpenError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Opens a session on files: store, lease, tools, provider. Throws `SessionOpenError` when it cannot be had. A session is
 * closed by `close()`; a process that dies without it loses nothing, and its lease is taken over.
 */
export async function createSession(given: SessionOptions): Promise<OpenSession> {
  const isNew = (given.open?.type ?? "new") === "new";
  if (isNew && !(await isFolder(given.cwd)))
    throw new SessionOpenError("refused", `cwd: expected the absolute path of a folder, got "${given.cwd}"`);
  const { stepsMax = bounds.stepsPerTurnMax } = given;
  if (!Number.isInteger(stepsMax) || stepsMax < 1)
    throw new SessionOpenError("refused", `stepsMax: expected a whole number from 1 on, got ${stepsMax}`);
  const clock = given.world?.clock ?? systemClock;
  const ids = given.world?.ids ?? randomIds(clock);
  const stores = given.world?.stores ?? fileStore({ root: given.home ?? defaultHome(), clock });
  const id = await sessionOf(given, stores, ids);
  const options: Described = { ...given, listed: await listedOf(given, clock.now()) };
  refuseEffort(options);
  const stream = mainOf(id);
  const guarded = await guardedOf(options);
  const lease = await stores.log.lease(stream, processOwner());
  if (lease.type !== "leased") {
    await guarded.sandbox?.close();
    throw openError(lease);
  }
  const { release } = lease;
  try {
    const loaded = await started(options, stores, stream, lease.fence);
    const mode = () => session.state().mode;
    const { config, background, budget } = await configOf(options, guarded, { stores, id, loaded }, mode);
    const project = projectIn(options, loaded);
    const opened = { stores, stream, fence: lease.fence, clock, ids, background, project, budget };
    const fx = maskedEffects(effectsOf(options, opened), guarded.mask);
    const { state, damage, sentUnsure } = loaded;
    const session: Session = await openSession(config, fx, { state, damaged: damage.length > 0, sentUnsure });
    if (options.mode !== undefined) await session.chooseMode(options.mode);
    if (options.verbosity !== undefined) await session.chooseVerbosity(options.verbosity);
    await session.chooseModel(fitted(modelOf(options), loaded.state));
    let closed = false;
    const input = maskedInput(session, guarded.mask, () => options.onMasked?.());
    const prompt: Session["prompt"] = async (...given) => {
      if (closed) throw new Error("the session is closed: open it again with createSession");
      return await input.prompt(...given);
    };
    const clearing = clearingWarning(session.state(), config);
    const told = [lifecycleWarning(options.listed), clearing, ...guarded.warnings, ...faultLines(budget.now())];
    const warnings = told.filter((line) => line !== null);
    return { ...session, ...input, id, damage: loaded.damage, warnings, prompt, close };
    async function close(): Promise<void> {
      if (closed) return;
      closed = true;
      try {
        await session.interrupt("the session was closed");
      } finally {
        // What still runs is told and abandoned after its limit; its last entries belong under this lease.
        await session.idle();
        await session.close();
        // A full disk costs the shortcut and nothing else: the log says the same, and the next opening reads it.
        await saveState(stores.log, stores.checkpoints, stream, loaded).catch(() => {});
        await release();
        await guarded.sandbox?.close();
      }
    }
  } catch (error) {
    await release();
    await guarded.sandbox?.close();
    throw error;
  }
}

type Described = SessionOptions & { readonly listed: ListedModel | null };

/** Looked at before the session is taken: nobody else has to wait for a provider's answer. */
async function listedOf(options: SessionOptions, now: number): Promise<ListedModel | null> {
  const { endpoints, listed, world, home, window, windows = {} } = options;
  if (listed !== undefined) return listed;
  const { wire, model } = modelOf({ ...options, listed: null });
  const endpoint = endpoints[wire];
  const root = home ?? (world?.stores === undefined ? defaultHome() : null);
  if (endpoint === undefined || root === null || world?.model !== undefined) return null;
  return await describedModel({ root, wire, endpoint, model, settings: window ?? own(windows, model), now });
}

function modelOf({ model, window, windows = {}, listed }: Described): ModelChoice {
  return typeof model === "string" ? usualModel(model, undefined, window ?? own(windows, model), listed) : model;
}

function refuseEffort(options: Described): void {
  const { model, effort } = modelOf(options);
  const fault = effortFault(model, effort, options.listed);
  if (fault !== null) throw new SessionOpenError("refused", fault);
}

/** A limit that was named in an earlier turn still holds. */
function fitted(model: ModelChoice, { limits }: State): ModelChoice {
  const limit = own(limits, model.model)?.named ?? null;
  return limit === null ? model : fittedTo(limit, model);
}

function assemblyOf(options: Described): Assembly {
  const { assembly = "append" } = options;
  const model = modelOf(options);
  if (assembly === "boundary" && bindsReasoning(model))
    throw new SessionOpenError(
      "refused",
      `${model.model} ties its reasoning to the prefix, so rebuilding sections would lose it each time: ` +
        "use append assembly, or insist with boundary-forced",
    );
  return assembly === "append" ? "append" : "boundary";
}

async function sessionOf(options: SessionOptions, stores: Stores, ids: Ids): Promise<SessionId> {
  const open = options.open ?? { type: "new" };
  if (open.type === "new") return ids.session();
  const found = await existing(open.session, stores);
  if (open.type === "resume") return found;
  const id = ids.session();
  await stores.log.fork(mainOf(found), open.upTo ?? Number.POSITIVE_INFINITY, id);
  return id;
}

type LaneStream = Extract<StreamId, { readonly type: "lane" }>;

function mainOf(session: SessionId): LaneStream {
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
async function started(options: Described, stores: Stores, stream: LaneStream, fence: number): Promise<Loaded> {
  const loaded = await loadState(stores.log, stores.checkpoints, stream);
  const first = [...firstEntries(options, stream.session, loaded), ...describing(options, loaded.state)];
  if (first.length === 0) return loaded;
  const result = await stores.log.append({ stream, expectedSeq: loaded.state.seq, fence, entries: first });
  if (result.type === "refused") throw new SessionOpenError("refused", `the session cannot be saved: ${result.why}`);
  if (result.type !== "appended") throw new SessionOpenError("busy", "another process writes to this session");
  return await loadState(stores.log, null, stream);
}

/** A session stays in its project, wherever it is gone on with. */
function projectIn({ project = null }: SessionOptions, { state }: Loaded): ProjectId | null {
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

function effectsOf(
  options: SessionOptions,
  open: {
    readonly stores: Stores;
    readonly stream: StreamId;
    readonly fence: number;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly background: Background;
    readonly project: ProjectId | null;
    readonly budget: BudgetFile;
  },
): Effects {
  const { stores, ...rest } = open;
  const env = options.world?.env ?? parentEnvironment();
  return laneEffects({
    ...rest,
    log: stores.log,
    blobs: stores.blobs,
    model: options.world?.model ?? routedModel(options.endpoints),
    fs: nodeFs(),
    cwd: options.cwd,
    shell: env.SHELL ?? "bash",
    ask: options.ask ?? (async () => null),
  });
}

/** Before anything runs: where the user wants a sandbox and there is none, nothing does. */
async function guardedOf(options: SessionOptions): Promise<Guarded> {
  const { cwd, endpoints, guards = usualGuards, home, permissions, web } = options;
  const env = options.world?.env ?? parentEnvironment();
  const searchKey = web?.search == null ? null : keyOf(web.search, env);
  const keys = [...Object.values(endpoints).map(({ apiKey }) => apiKey), ...(searchKey === null ? [] : [searchKey])];
  const roots = [cwd, ...(permissions?.directories ?? [])];
  const found = await guardSession({ guards, env, keys, roots, home: home ?? defaultHome() });
  if (found.type === "refused") throw new SessionOpenError("refused", found.why);
  return found.guarded;
}

/** Beside the logs, where they are files of a home we know. */
function indexOf({ home, world }: SessionOptions, stores: Stores, session: SessionId): Index {
  const root = home ?? (world?.stores === undefined ? defaultHome() : null);
  return sessionIndex({ stores, session, root });
}

async function configOf(
  options: Described,
  guarded: Guarded,
  { stores, id, loaded }: { readonly stores: Stores; readonly id: SessionId; readonly loaded: Loaded },
  mode: () => PermissionMode,
): Promise<{ readonly config: AgentConfig; readonly background: Background; readonly budget: BudgetFile }> {
  const { cwd, window, windows = {} } = options;
  const rules = options.permissions?.rules ?? [];
  const { boundary, tools, fs, background } = await workspaceOf({
    cwd,
    env: options.world?.env ?? parentEnvironment(),
    outsideAllowed: () => mode() === "bypassPermissions",
    permissions: options.permissions,
    web: options.web,
    guarded,
    index: indexOf(options, stores, id),
  });
  const ground: Ground = { cwd, home: userHome(), boundary, rules, gitDoubt: (folder) => gitDoubt(folder, fs) };
  const budget = budgetFile(cwd, () => tools.map(({ declaration }) => declaration.name));
  await budget.look();
  const config: AgentConfig = {
    codecFor,
    cwd,
    tools,
    permission: async (call) => freedBySandbox(await judge(call, ground), call, guarded),
    firstForm: options.world?.firstForm ?? firstForm,
    windowFor: (model) => (model === modelOf(options).model ? window : undefined) ?? own(windows, model) ?? null,
    caps: () => budget.now()?.caps ?? null,
    reductions: reductionsIn(loaded.state, options.reductions),
    prices: { overrides: options.prices ?? [] },
    assembly: assemblyOf(options),
    stepsMax: options.stepsMax ?? bounds.stepsPerTurnMax,
  };
  return { config, background, budget };
}

function openError(lease: Exclude<LeaseResult, { readonly type: "leased" }>): SessionOpenError {
  if (lease.type === "refused") return new SessionOpenError("refused", `the session cannot be opened: ${lease.why}`);
  const since = new Date(lease.since).toISOString();
  return new SessionOpenError(
    "busy",
    `this session is open in ${lease.owner} since ${since}: end it there, or fork the session`,
  );
}
