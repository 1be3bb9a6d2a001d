import type { PermissionMode } from "../log/entry.ts";
import { type Guards, mergeGuards } from "./guards.ts";
import type { HookRule } from "./hooks.ts";
import { type Rule, scopes } from "./rule.ts";
import type { FileSettings, SearchSettings } from "./settings.ts";
import { strongest } from "./strongest.ts";

/** What holds for a session: every file together. */
export type Permissions = {
  readonly rules: readonly Rule[];
  /** Folders beside the working directory that belong to the workspace; as written, to be resolved by whoever knows where. */
  readonly directories: readonly string[];
  readonly mode: PermissionMode | null;
  readonly bypass: "as chosen" | "refused";
  readonly webSearch: SearchSettings | null;
  readonly outputStyle: string | null;
  readonly guards: Guards;
  readonly hooks: readonly HookRule[];
  readonly notes: readonly string[];
  /** For each single value the file that says it; null: none does, and what is usual holds. */
  readonly origins: Readonly<Record<SingleSetting, string | null>>;
  /** What counts of each file, the strongest first. */
  readonly counted: readonly FileSettings[];
};

export type SingleSetting = "mode" | "bypass" | "webSearch" | "outputStyle" | "hookUse" | keyof Guards;

/** Settings of a file, and whether its content counts whole: what came with a folder does only once the user approved it. */
export type CountedSettings = { readonly settings: FileSettings; readonly trust: "whole" | "only what restricts" };

/** Lists are joined, the strongest scope first; of single values the strongest scope's holds. */
export function mergeSettings(files: readonly CountedSettings[]): Permissions {
  const ordered = [...files].sort((a, b) => rank(a) - rank(b));
  const own =
    ordered.find(({ settings, trust }) => trust === "whole" && settings.mode !== null)?.settings.mode ?? "default";
  const counted = ordered.map(({ settings, trust }) => (trust === "whole" ? settings : restricting(settings, own)));
  const [mode, webSearch, style] = [
    strongest(counted, (file) => file.mode),
    strongest(counted, (file) => file.webSearch),
    strongest(counted, (file) => file.outputStyle),
  ];
  const bypass = strongest(counted, (file) => (file.bypass === "refused" ? file.bypass : null));
  const off = hooksOff(counted);
  return {
    rules: counted.flatMap(({ rules }) => rules),
    directories: counted.flatMap(({ directories }) => directories),
    mode: mode?.value ?? null,
    bypass: bypass?.value ?? "as chosen",
    webSearch: webSearch?.value ?? null,
    outputStyle: style?.value ?? null,
    guards: mergeGuards(counted.map(({ guards }) => guards)),
    hooks: hooksOf(counted, off),
    notes: counted.flatMap(({ notes }) => notes),
    origins: {
      ...guardOrigins(counted),
      mode: fileOf(mode),
      bypass: fileOf(bypass),
      webSearch: fileOf(webSearch),
      outputStyle: fileOf(style),
      hookUse: off?.source.file ?? null,
    },
    counted,
  };
}

function fileOf(said: { readonly file: FileSettings } | null): string | null {
  return said?.file.source.file ?? null;
}

function guardOrigins(counted: readonly FileSettings[]): Readonly<Record<keyof Guards, string | null>> {
  const from = (key: keyof Guards) => fileOf(strongest(counted, ({ guards }) => guards[key]));
  return {
    redact: from("redact"),
    env: from("env"),
    sandbox: from("sandbox"),
    sandboxNetwork: from("sandboxNetwork"),
    sandboxAutoAllow: from("sandboxAutoAllow"),
    memoryFiles: from("memoryFiles"),
  };
}

/** The file that switches hooks off: one that wants none is enough. */
function hooksOff(counted: readonly FileSettings[]): FileSettings | null {
  return strongest(counted, ({ hookUse }) => (hookUse === "none" ? hookUse : null))?.file ?? null;
}

/** Only what whoever looks after the machine has set up is not for others to switch off. */
function hooksOf(counted: readonly FileSettings[], off: FileSettings | null): readonly HookRule[] {
  if (off?.source.scope === "managed") return [];
  const left = off === null ? counted : counted.filter(({ source }) => source.scope === "managed");
  return left.flatMap(({ hooks }) => hooks);
}

function rank({ settings }: CountedSettings): number {
  return scopes.indexOf(settings.source.scope);
}

/** How much a mode keeps from running. */
const strictness: { readonly [M in PermissionMode]: number } = {
  bypassPermissions: 0,
  acceptEdits: 1,
  default: 2,
  dontAsk: 3,
  plan: 4,
};

/** A stranger's file may only make things stricter than they are without it. How answers are written is no right: a style counts. */
function restricting(settings: FileSettings, own: PermissionMode): FileSettings {
  const { rules, mode } = settings;
  return {
    ...settings,
    rules: rules.filter(({ kind }) => kind !== "allow"),
    directories: [],
    webSearch: null,
    hooks: [],
    hookUse: "as written",
    guards: {},
    mode: mode !== null && strictness[mode] > strictness[own] ? mode : null,
  };
}

/** What a file would free, one line each, for whoever is asked to approve it. */
export function freedBy({ rules, directories, mode, webSearch, hooks, hookUse }: FileSettings): readonly string[] {
  return [
    ...rules.filter(({ kind }) => kind === "allow").map(({ text }) => `allows ${text}`),
    ...directories.map((directory) => `adds the folder ${directory}`),
    ...(mode !== null && strictness[mode] < strictness.default ? [`starts in mode ${mode}`] : []),
    ...(webSearch === null ? [] : [searchesAt(webSearch)]),
    ...hooks.map(hookLine),
    ...(hookUse === "none" ? ["switches all hooks off"] : []),
  ];
}

/** A hook for people: `runs at PreToolUse (Bash): npm run check`. */
export function hookLine({ event, matcher, command }: HookRule): string {
  return `runs at ${event}${matcher === "" || matcher === "*" ? "" : ` (${matcher})`}: ${command}`;
}

function searchesAt({ endpoint, keyEnv }: SearchSettings): string {
  return `sends searches of the web to ${endpoint}${keyEnv === null ? "" : ` with the key in $${keyEnv}`}`;
}
