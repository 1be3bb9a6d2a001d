import { systemClock } from "../adapters/clock.ts";
import { describedModel } from "../adapters/described-model.ts";
import { defaultHome, processOwner, userHome } from "../adapters/environment.ts";
import { isFolder } from "../adapters/fs.ts";
import { randomIds } from "../adapters/ids.ts";
import { maskedEffects } from "../adapters/masked-effects.ts";
import type { Serving } from "../adapters/serving.ts";
import { fileStore } from "../adapters/store-file.ts";
import { styleNamed } from "../adapters/styles.ts";
import { settingOf } from "../agent/facts.ts";
import { clearingWarning } from "../agent/provider-clearing.ts";
import { openSession, type Session } from "../agent/session.ts";
import { saveState } from "../agent/stored-state.ts";
import { assumedWindowTokens } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { effortFault, type ListedModel, lifecycleWarning } from "../provider/listed-model.ts";
import { fittedTo } from "../provider/usual-model.ts";
import { faultLines } from "../workspace/context-caps.ts";
import { type Described, modelOf, type OpenSession, SessionOpenError, type SessionOptions } from "./options.ts";
import { configOf, effectsOf, guardedOf, servingOf } from "./parts.ts";
import { spokenTo } from "./spoken.ts";
import { mainOf, openError, projectIn, sessionOf, started } from "./start.ts";

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
  await refuseStyle(options);
  const stream = mainOf(id);
  const guarded = await guardedOf(options);
  const lease = await stores.log.lease(stream, processOwner());
  if (lease.type !== "leased") {
    await guarded.sandbox?.close();
    throw openError(lease);
  }
  const { release } = lease;
  let serving: Serving | null = null;
  try {
    const loaded = await started(options, stores, stream, lease.fence);
    const now = () => session.state();
    const project = projectIn(options, loaded);
    serving = await servingOf(options, { guarded, log: stores.log, project, clock });
    const { config, background, budget } = await configOf(options, guarded, { stores, id, loaded, serving }, now);
    const windowTokens = () => settingOf(session.state(), config).windowTokens ?? assumedWindowTokens;
    const world = { stores, stream, fence: lease.fence, clock, ids };
    const opened = { ...world, background, project, budget, windowTokens, guarded, serving };
    const fx = maskedEffects(effectsOf(options, opened), guarded.mask);
    const { state, damage, sentUnsure } = loaded;
    const session: Session = await openSession(config, fx, { state, damaged: damage.length > 0, sentUnsure });
    if (options.mode !== undefined) await session.chooseMode(options.mode);
    if (options.verbosity !== undefined) await session.chooseVerbosity(options.verbosity);
    await session.chooseModel(fitted(modelOf(options), loaded.state));
    let closed = false;
    const isClosed = () => closed;
    const spoken = spokenTo(options, { session, config, fx, stores, stream, clock, ids, guarded, serving, isClosed });
    const clearing = clearingWarning(session.state(), config);
    const told = [lifecycleWarning(options.listed), clearing, ...guarded.warnings, ...faultLines(budget.now())];
    const warnings = told.filter((line) => line !== null);
    return { ...spoken, id, damage: loaded.damage, warnings, close };
    async function close(): Promise<void> {
      if (closed) return;
      closed = true;
      try {
        await spoken.interrupt("the session was closed");
      } finally {
        // What still runs is told and abandoned after its limit; its last entries belong under this lease.
        await spoken.idle();
        await session.close();
        await serving?.close();
        // A full disk costs the shortcut and nothing else: the log says the same, and the next opening reads it.
        await saveState(stores.log, stores.checkpoints, stream, loaded).catch(() => {});
        await release();
        await guarded.sandbox?.close();
      }
    }
  } catch (error) {
    await serving?.close();
    await release();
    await guarded.sandbox?.close();
    throw error;
  }
}

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

function refuseEffort(options: Described): void {
  const { model, effort } = modelOf(options);
  const fault = effortFault(model, effort, options.listed);
  if (fault !== null) throw new SessionOpenError("refused", fault);
}

async function refuseStyle({
  style,
  cwd,
  userFolder = userHome(),
  home = defaultHome(),
}: SessionOptions): Promise<void> {
  const found = style === undefined ? null : await styleNamed(style, { cwd, user: userFolder, home });
  if (found?.type === "bad") throw new SessionOpenError("refused", found.why);
}

/** A limit that was named in an earlier turn still holds. */
function fitted(model: ModelChoice, { limits }: State): ModelChoice {
  const limit = own(limits, model.model)?.named ?? null;
  return limit === null ? model : fittedTo(limit, model);
}
