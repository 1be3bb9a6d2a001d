import { join } from "node:path";
import { keptModel } from "../adapters/described-model.ts";
import type { ModelChoice } from "../log/entry.ts";
import { mergeSettings } from "../workspace/settings-merge.ts";
import { readCaps } from "./config-caps.ts";
import { modelRows } from "./config-model.ts";
import { type ConfigRow, usual } from "./config-row.ts";
import { settingsRows } from "./config-settings.ts";
import { countedFiles, withoutEffect } from "./counted-settings.ts";
import { readModelsFile } from "./models-file.ts";
import type { OpenFlags } from "./open-session.ts";
import { baseUrlNamed, homeOf } from "./settings.ts";

/** All that a new session would be opened with here, where each value comes from, and what of the files has no effect. */
export type Config = {
  readonly rows: readonly ConfigRow[];
  readonly files: readonly ConfigFile[];
  readonly notes: readonly string[];
};

/** `withoutEffect`: what it would free, once it is approved. */
export type ConfigFile = {
  readonly path: string;
  readonly scope: string;
  readonly withoutEffect: readonly string[];
};

type Ground = { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> };

/** Looks only: nothing is asked, written or sent. */
export async function readConfig(flags: OpenFlags, { cwd, env }: Ground): Promise<Config> {
  const home = homeOf(env);
  const counted = await countedFiles(flags, { home, cwd });
  const permissions = mergeSettings(counted);
  const models = await readModelsFile(home);
  const path = join(home, "models.json");
  const caps = await readCaps(cwd);
  const listed = async ({ wire, model }: ModelChoice) => {
    const baseUrl = baseUrlNamed(wire, flags, env)?.value;
    // Nothing is sent, so there is no need of a key.
    const endpoint = { apiKey: "", ...(baseUrl === undefined ? {} : { baseUrl }) };
    return await keptModel({ root: home, wire, model, endpoint });
  };
  return {
    rows: [
      homeRow(home, env),
      ...(await modelRows({ flags, env, models: { ...models, path }, listed })),
      countRow("models.windows", Object.keys(models.windows).length, path),
      countRow("models.prices", models.prices.length, path),
      ...settingsRows(permissions, env, flags.outputStyle),
      ...caps.rows,
    ],
    files: counted.flatMap((file) =>
      file.path === null
        ? []
        : [{ path: file.path, scope: file.settings.source.scope, withoutEffect: withoutEffect(file) }],
    ),
    notes: [...permissions.notes, ...caps.faults],
  };
}

function homeRow(home: string, { VARVE_HOME }: Ground["env"]): ConfigRow {
  const isSet = VARVE_HOME !== undefined && VARVE_HOME !== "";
  return { key: "home", value: home, from: isSet ? "environment VARVE_HOME" : usual };
}

function countRow(key: string, count: number, path: string): ConfigRow {
  return { key, value: count, from: count === 0 ? usual : path };
}
