import { projectFacts } from "../adapters/project-facts.ts";
import { settingOf } from "../agent/facts.ts";
import { loadState } from "../agent/stored-state.ts";
import { own } from "../kernel/own.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import { type FactState, noFacts } from "../log/facts.ts";
import { reduceAll } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import { mirrored } from "../memory/project-facts.ts";
import { type Home, mainStream, newestSession, sessionNamed } from "./home.ts";
import { readModelsFile } from "./models-file.ts";

/** The state of the session that is meant; null: nothing was named, and the project has none. */
export async function stateIn(home: Home, name: string | undefined): Promise<State | null> {
  const [newest] = await home.stores.log.list({ project: home.project, limit: 1 });
  if (name === undefined && newest === undefined) return null;
  const session = name === undefined ? await newestSession(home) : await sessionNamed(home, name);
  return (await loadState(home.stores.log, home.stores.checkpoints, mainStream(session))).state;
}

/** The session's facts with what its project's stream says by now. */
export async function viewed(home: Home, state: State | null) {
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
