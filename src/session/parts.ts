import { systemClock } from "../adapters/clock.ts";
import { type BudgetFile, budgetFile } from "../adapters/context-budget.ts";
import { laneEffects } from "../adapters/effects.ts";
import { defaultHome, parentEnvironment, userHome } from "../adapters/environment.ts";
import { nodeFs } from "../adapters/fs.ts";
import { freedBySandbox, type Guarded, guardSession } from "../adapters/guarded.ts";
import { sessionHooks } from "../adapters/hook-run.ts";
import { sessionIndex } from "../adapters/index-session.ts";
import { knowledgeOf } from "../adapters/knowledge.ts";
import { memoryTools } from "../adapters/memory-tools.ts";
import { routedModel } from "../adapters/model-route.ts";
import type { ProjectPlace } from "../adapters/project-search.ts";
import type { Serving } from "../adapters/serving.ts";
import { keyOf, workspaceOf } from "../adapters/workspace.ts";
import type { AgentConfig } from "../agent/config.ts";
import type { Effects } from "../agent/effects.ts";
import { bindsReasoning } from "../agent/reasoning.ts";
import { reductionsIn } from "../agent/reductions.ts";
import { lentFolders } from "../agent/skills.ts";
import type { Loaded } from "../agent/stored-state.ts";
import { firstForm } from "../digest/first-form.ts";
import { bounds } from "../kernel/bounds.ts";
import type { ProjectId, SessionId } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import type { State } from "../log/state.ts";
import type { Background } from "../ports/background.ts";
import type { Memory } from "../ports/memory.ts";
import type { LogStore, Stores, StreamId } from "../ports/store.ts";
import type { Clock, Ids } from "../ports/world.ts";
import type { Assembly } from "../prompt/sections.ts";
import { codecFor } from "../provider/codecs.ts";
import { gitDoubt } from "../workspace/git-repository.ts";
import { usualGuards } from "../workspace/guards.ts";
import type { Ground } from "../workspace/permission-ground.ts";
import { groundAllowedBy } from "../workspace/permission-hook.ts";
import { judgeWithin } from "../workspace/permission-limits.ts";
import { serverSecrets } from "../workspace/server-secrets.ts";
import { type Described, modelOf, SessionOpenError, type SessionOptions } from "./options.ts";
import { projectIn } from "./start.ts";

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

export function effectsOf(
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
    readonly windowTokens: () => number;
    readonly guarded: Guarded;
    readonly serving: Serving | null;
  },
): Effects {
  const { stores, windowTokens, guarded, serving, ...rest } = open;
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
    knowledge: knowledgeOf({
      cwd: options.cwd,
      user: options.userFolder === undefined ? userHome() : options.userFolder,
      home: options.home ?? defaultHome(),
      project: open.project,
      windowTokens,
      style: options.style,
      isTrusted: options.isTrusted,
      serving,
      memoryFiles: rootOf(options) === null ? "off" : (options.guards ?? usualGuards).memoryFiles,
    }),
    hooks: sessionHooks({
      ...{ rules: options.hooks ?? [], env, guarded, stream: open.stream, cwd: options.cwd },
      root: rootOf(options),
    }),
    servers: serving?.servers ?? null,
    onNote: (text) => options.onNote?.(text),
  });
}

/** Before anything runs: where the user wants a sandbox and there is none, nothing does. */
export async function guardedOf(options: SessionOptions): Promise<Guarded> {
  const { cwd, endpoints, guards = usualGuards, home, permissions, servers = [], web } = options;
  const env = options.world?.env ?? parentEnvironment();
  const searchKey = web?.search == null ? null : keyOf(web.search, env);
  const keys = [...Object.values(endpoints).map(({ apiKey }) => apiKey), ...(searchKey === null ? [] : [searchKey])];
  const roots = [cwd, ...(permissions?.directories ?? [])];
  const handed = serverSecrets(servers);
  const found = await guardSession({ guards, env, keys, handed, roots, home: home ?? defaultHome() });
  if (found.type === "refused") throw new SessionOpenError("refused", found.why);
  return found.guarded;
}

/** Beside the logs, where they are files of a home we know. */
function rootOf({ home, world }: SessionOptions): string | null {
  return home ?? (world?.stores === undefined ? defaultHome() : null);
}

function projectOf(options: SessionOptions, stores: Stores, own: SessionId, loaded: Loaded): ProjectPlace {
  const clock = options.world?.clock ?? systemClock;
  return { stores, clock, root: rootOf(options), project: projectIn(options, loaded), own };
}

/** null: the user wants none, or there is no home to keep them in. */
function memoryOf(options: SessionOptions, { guards, mask }: Guarded, loaded: Loaded): Memory | null {
  const [mode, home] = [guards.memoryFiles, rootOf(options)];
  if (mode === "off" || home === null) return null;
  const { cwd, userFolder: user = userHome() } = options;
  return memoryTools({ home: { home, project: projectIn(options, loaded), cwd, user }, mask, mode });
}

type Opened = {
  readonly stores: Stores;
  readonly id: SessionId;
  readonly loaded: Loaded;
  readonly serving: Serving | null;
};

/** null: no MCP server is configured, and nothing of them is loaded. */
export async function servingOf(
  { servers: entries = [], world, onNote = () => {} }: SessionOptions,
  of: { readonly guarded: Guarded; readonly log: LogStore; readonly project: ProjectId | null; readonly clock: Clock },
): Promise<Serving | null> {
  if (entries.length === 0) return null;
  const { startServing } = await import("../adapters/serving.ts");
  return await startServing({ entries, env: world?.env ?? parentEnvironment(), onNote, ...of });
}

export async function configOf(
  options: Described,
  guarded: Guarded,
  { stores, id, loaded, serving }: Opened,
  now: () => State,
): Promise<{ readonly config: AgentConfig; readonly background: Background; readonly budget: BudgetFile }> {
  const { cwd, window, windows = {} } = options;
  const rules = options.permissions?.rules ?? [];
  const {
    boundary,
    tools: builtin,
    fs,
    background,
  } = await workspaceOf({
    cwd,
    env: options.world?.env ?? parentEnvironment(),
    outsideAllowed: () => now().mode === "bypassPermissions",
    lent: () => lentFolders(now()),
    permissions: options.permissions,
    web: options.web,
    guarded,
    index: sessionIndex({ stores, session: id, root: rootOf(options) }),
    project: projectOf(options, stores, id, loaded),
    memory: memoryOf(options, guarded, loaded),
  });
  const tools = [...builtin, ...(serving?.tools.declared ?? [])];
  const ground: Ground = { cwd, home: userHome(), boundary, rules, gitDoubt: (folder) => gitDoubt(folder, fs) };
  const budget = budgetFile(cwd, () => tools.map(({ declaration }) => declaration.name));
  await budget.look();
  const config: AgentConfig = {
    codecFor,
    cwd,
    tools,
    serverTools: serving?.tools ?? null,
    permission: async ({ limited = [], allowedBy = null, ...call }) => {
      const freed = groundAllowedBy(ground, call.tool, allowedBy);
      return freedBySandbox(await judgeWithin(call, freed, limited), call, guarded);
    },
    firstForm: options.world?.firstForm ?? firstForm,
    windowFor: (model) => (model === modelOf(options).model ? window : undefined) ?? own(windows, model) ?? null,
    memoryFor: (model) =>
      (model === modelOf(options).model ? options.memory : undefined) ??
      own(options.memoryByModel ?? {}, model) ??
      null,
    caps: () => budget.now()?.caps ?? null,
    reductions: reductionsIn(loaded.state, options.reductions),
    prices: { overrides: options.prices ?? [] },
    assembly: assemblyOf(options),
    stepsMax: options.stepsMax ?? bounds.stepsPerTurnMax,
  };
  return { config, background, budget };
}
