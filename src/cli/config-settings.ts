import { type RuleKind, ruleKinds } from "../workspace/rule.ts";
import type { FileSettings } from "../workspace/settings.ts";
import type { Permissions } from "../workspace/settings-merge.ts";
import { type ConfigRow, shownUrl, sourceOf, usual } from "./config-row.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What the settings files and the command line say together, with the file behind each value. Values of variables are not shown. */
export function settingsRows(
  permissions: Permissions,
  env: Env,
  outputStyle: string | undefined,
): readonly ConfigRow[] {
  const { origins, guards, counted } = permissions;
  const single = (key: string, value: ConfigRow["value"], origin: keyof typeof origins): ConfigRow => ({
    key,
    value,
    from: sourceOf(origins[origin]),
  });
  return [
    single("permissions.defaultMode", permissions.mode ?? "default", "mode"),
    ...ruleKinds.map((kind) => rulesRow(kind, counted)),
    listRow("permissions.additionalDirectories", counted, ({ directories }) => directories.length, "folders"),
    single("permissions.disableBypassPermissionsMode", permissions.bypass === "refused", "bypass"),
    single("sandbox", guards.sandbox, "sandbox"),
    single("sandboxNetwork", guards.sandboxNetwork, "sandboxNetwork"),
    single("sandboxAutoAllow", guards.sandboxAutoAllow, "sandboxAutoAllow"),
    single("redact", guards.redact, "redact"),
    single("env.pass", guards.env.pass, "env"),
    { ...single("env.set", Object.keys(guards.env.set), "env"), note: "names; values are not shown" },
    single("memoryFiles", guards.memoryFiles, "memoryFiles"),
    webSearchRow(permissions, env),
    outputStyle === undefined
      ? single("outputStyle", permissions.outputStyle ?? "default", "outputStyle")
      : { key: "outputStyle", value: outputStyle, from: "flag --output-style" },
    hooksRow(permissions),
    single("disableAllHooks", origins.hookUse !== null, "hookUse"),
  ];
}

function rulesRow(kind: RuleKind, counted: readonly FileSettings[]): ConfigRow {
  return listRow(
    `permissions.${kind}`,
    counted,
    ({ rules }) => rules.filter((rule) => rule.kind === kind).length,
    "rules",
  );
}

/** A list that every file adds to: how much of it is whose. */
function listRow(
  key: string,
  counted: readonly FileSettings[],
  countOf: (file: FileSettings) => number,
  what: string,
): ConfigRow {
  const parts = counted.map((file) => ({ file: sourceOf(file.source.file), count: countOf(file) }));
  const some = parts.filter(({ count }) => count > 0);
  const value = some.reduce((sum, { count }) => sum + count, 0);
  if (some.length === 0) return { key, value, from: usual };
  const note =
    some.length === 1 ? {} : { note: `${what}: ${some.map(({ file, count }) => `${count} of ${file}`).join(", ")}` };
  return { key, value, from: some.map(({ file }) => file).join(", "), ...note };
}

function webSearchRow({ webSearch, origins }: Permissions, env: Env): ConfigRow {
  const [key, from] = ["webSearch", sourceOf(origins.webSearch)];
  if (webSearch === null) return { key, value: null, from, note: "no search of the web" };
  const { endpoint, keyEnv } = webSearch;
  const value = shownUrl(endpoint);
  return keyEnv === null ? { key, value, from } : { key, value, from, note: `key in ${keyEnv}, ${isSet(env[keyEnv])}` };
}

/** Hooks that would run, by whose file they are. */
function hooksRow({ hooks, counted }: Permissions): ConfigRow {
  const running = new Set(hooks);
  return listRow("hooks", counted, (file) => file.hooks.filter((hook) => running.has(hook)).length, "hooks");
}

export function isSet(value: string | undefined): "set" | "not set" {
  return value === undefined || value === "" ? "not set" : "set";
}
