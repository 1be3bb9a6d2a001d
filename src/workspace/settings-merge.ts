import type { PermissionMode } from "../log/entry.ts";
import { type Guards, mergeGuards } from "./guards.ts";
import type { HookRule } from "./hooks.ts";
import { type Rule, scopes } from "./rule.ts";
import type { FileSettings, SearchSettings } from "./settings.ts";

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
};

/** Settings of a file, and whether its content counts whole: what came with a folder does only once the user approved it. */
export type CountedSettings = { readonly settings: FileSettings; readonly trust: "whole" | "only what restricts" };

/** Lists are joined, the strongest scope first; of single values the strongest scope's holds. */
export function mergeSettings(files: readonly CountedSettings[]): Permissions {
  const ordered = [...files].sort((a, b) => rank(a) - rank(b));
  const own =
    ordered.find(({ settings, trust }) => trust === "whole" && settings.mode !== null)?.settings.mode ?? "default";
  const counted = ordered.map(({ settings, trust }) => (trust === "whole" ? settings : restricting(settings, own)));
  return {
    rules: counted.flatMap(({ rules }) => rules),
    directories: counted.flatMap(({ directories }) => directories),
    mode: counted.map(({ mode }) => mode).find((mode) => mode !== null) ?? null,
    bypass: counted.some(({ bypass }) => bypass === "refused") ? "refused" : "as chosen",
    webSearch: counted.map(({ webSearch }) => webSearch).find((search) => search !== null) ?? null,
    outputStyle: counted.map(({ outputStyle }) => outputStyle).find((style) => style !== null) ?? null,
    guards: mergeGuards(counted.map(({ guards }) => guards)),
    hooks: hooksOf(counted),
    notes: counted.flatMap(({ notes }) => notes),
  };
}

/** One file that wants none is enough; only what whoever looks after the machine has set up is not for others to switch off. */
function hooksOf(counted: readonly FileSettings[]): readonly HookRule[] {
  const managed = counted.filter(({ source }) => source.scope === "managed");
  const isOff = (files: readonly FileSettings[]) => files.some(({ hookUse }) => hookUse === "none");
  if (isOff(managed)) return [];
  return (isOff(counted) ? managed : counted).flatMap(({ hooks }) => hooks);
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

/** A stranger's file may only make things stricter than they are without it. */
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
