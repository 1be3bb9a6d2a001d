import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { bounds } from "../kernel/bounds.ts";
import type { PermissionMode } from "../log/entry.ts";
import type { Scope } from "../workspace/rule.ts";
import { type FileSettings, parseSettings, rulesIn, type SettingsSource } from "../workspace/settings.ts";
import { type CountedSettings, freedBy, mergeSettings, type Permissions } from "../workspace/settings-merge.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { homeOf, modeOf } from "./settings.ts";
import { printable, quoted, say } from "./terminal.ts";
import { type Approvable, approve, isApproved } from "./trusted.ts";

export type PermissionFlags = {
  readonly permissionMode?: string;
  readonly settings?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly trustProject?: boolean;
  readonly sandbox?: string;
};

export type Places = { readonly home: string; readonly cwd: string };

/** A settings file as it was read once: what is shown, approved and counted is this text. */
export type SettingsFile = { readonly path: string; readonly text: string; readonly settings: FileSettings };

/**
 * The permissions of a run, from every place that may name some. What a project's own files free counts only when the
 * user has approved them: whoever unpacks a stranger's archive has not written what is in it.
 */
export async function permissionsFor(flags: PermissionFlags, places: Places): Promise<Permissions> {
  const trusted = [...(await filesOf(managed)), ...(await filesOf(userFiles(places)))];
  const counted: CountedSettings[] = trusted.map(({ settings }) => ({ settings, trust: "whole" }));
  for (const settings of await commandLine(flags)) counted.push({ settings, trust: "whole" });
  for (const file of await projectFiles(places)) {
    const trust = flags.trustProject === true || (await mayFree(file, places)) ? "whole" : "only what restricts";
    counted.push({ settings: file.settings, trust });
  }
  const merged = mergeSettings(counted);
  for (const note of merged.notes) say(`varve: ${printable(note)}`);
  return { ...merged, directories: merged.directories.map((directory) => inFolder(directory, places.cwd)) };
}

/**
 * The mode to work in; undefined: the one of the session that is resumed (`before`). A new session starts in the settings'
 * mode, and a flag stands where the command line stands among them.
 */
export function modeFor(
  flags: PermissionFlags,
  permissions: Permissions,
  before: PermissionMode | null,
): PermissionMode | undefined {
  const chosen = modeOf(flags);
  const mode = chosen !== undefined || before === null ? (permissions.mode ?? undefined) : undefined;
  if (chosen !== undefined && mode !== chosen) say(`varve: --permission-mode ${chosen}: managed settings say ${mode}`);
  if (permissions.bypass === "as chosen" || (mode ?? before) !== "bypassPermissions") return mode;
  throw new UsageError("mode bypassPermissions: the settings do not permit it (disableBypassPermissionsMode)");
}

/** Settings files that lie in the project, ours and those of Claude Code. */
export async function projectFiles({ home, cwd }: Places): Promise<readonly SettingsFile[]> {
  const own = join(home, "settings.json");
  const files = (["local", "project"] as const).flatMap((scope): readonly Candidate[] => {
    const name = scope === "local" ? "settings.local.json" : "settings.json";
    return [
      { path: join(cwd, ".varve", name), scope, written: "ours" },
      { path: join(cwd, ".claude", name), scope, written: "foreign" },
    ];
  });
  const others = new Set([own, ...userFiles({ home, cwd }).map(({ path }) => path)]);
  return await filesOf(files.filter(({ path }) => !others.has(path)));
}

/** Every settings file that may count here; a wrong one throws. */
export async function settingsFiles(places: Places): Promise<readonly SettingsFile[]> {
  return [...(await filesOf(managed)), ...(await filesOf(userFiles(places))), ...(await projectFiles(places))];
}

type Candidate = { readonly path: string; readonly scope: Scope; readonly written: SettingsSource["written"] };

/** Written by whoever looks after the machine. */
const managed: readonly Candidate[] = [
  {
    path:
      process.platform === "darwin" ? "/Library/Application Support/Varve/settings.json" : "/etc/varve/settings.json",
    scope: "managed",
    written: "ours",
  },
];

function userFiles({ home }: Places): readonly Candidate[] {
  return [
    { path: join(home, "settings.json"), scope: "user", written: "ours" },
    { path: join(homedir(), ".claude", "settings.json"), scope: "user", written: "foreign" },
  ];
}

async function filesOf(candidates: readonly Candidate[]): Promise<readonly SettingsFile[]> {
  const files = await Promise.all(candidates.map(fileOf));
  return files.filter((file) => file !== null);
}

async function fileOf({ path, scope, written }: Candidate): Promise<SettingsFile | null> {
  const text = await textOf(path, scope).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new UsageError(`${path} cannot be read: ${error.message}`);
  });
  return text === null ? null : { path, text, settings: parsed(text, { file: path, scope, written }) };
}

/** A pipe or a device would never end; only on the command line (`--settings <(...)`) it is what was meant. */
async function textOf(path: string, scope: Scope): Promise<string> {
  const found = await stat(path);
  if (!found.isFile() && scope !== "command line") throw new Error("it is not a regular file");
  if (found.size > bounds.settingsBytesMax) throw new Error(`it holds more than ${bounds.settingsBytesMax} bytes`);
  return await readFile(path, "utf8");
}

function parsed(text: string, source: SettingsSource): FileSettings {
  const result = parseSettings(text, source);
  if (result.type === "bad") throw new UsageError(result.why);
  return result.settings;
}

/** What the command line says, as settings of its own. */
export async function commandLine(flags: PermissionFlags): Promise<readonly FileSettings[]> {
  const given = flags.settings?.trim();
  const scope = "command line";
  const mode = modeOf(flags);
  const chosen = JSON.stringify({ permissions: mode === undefined ? {} : { defaultMode: mode } });
  const files: FileSettings[] = [parsed(chosen, { file: "--permission-mode", scope, written: "ours" })];
  if (given?.startsWith("{") === true) files.push(parsed(given, { file: "--settings", scope, written: "ours" }));
  else if (given !== undefined) {
    const file = await fileOf({ path: resolve(given), scope, written: "ours" });
    if (file === null) throw new UsageError(`--settings: there is no file ${given}`);
    files.push(file.settings);
  }
  if (flags.sandbox !== undefined)
    files.push(parsed(JSON.stringify({ sandbox: flags.sandbox }), { file: "--sandbox", scope, written: "ours" }));
  const lists = {
    "--allowed-tools": { allow: flags.allowedTools },
    "--disallowed-tools": { deny: flags.disallowedTools },
  };
  for (const [file, kinds] of Object.entries(lists)) {
    const permissions = Object.fromEntries(
      Object.entries(kinds).map(([kind, list]) => [kind, (list ?? []).flatMap(rulesIn)]),
    );
    files.push(parsed(JSON.stringify({ permissions }), { file, scope, written: "ours" }));
  }
  return files;
}

/**
 * Asked where somebody is there; else the half that frees is left out, and said. Where a file frees nothing that is listed
 * nobody is asked, but its mode may still be looser than the user's own, so it counts only as far as it restricts.
 */
async function mayFree(file: SettingsFile, { home }: Places): Promise<boolean> {
  const freed = freedBy(file.settings);
  if (await isApproved(home, file)) return true;
  if (freed.length === 0) return false;
  if (process.stdin.isTTY && process.stderr.isTTY && (await confirmed(file, freed))) {
    await approve(home, file);
    return true;
  }
  say(
    `varve: ${printable(file.path)} was not approved: what it frees (${freed.length} of its settings) does not count; ` +
      "see and approve it with `varve trust`, or for one run with --trust-project",
  );
  return false;
}

/** Shows what a file frees and asks; anything but a clear yes is a no. */
async function confirmed(file: Approvable, freed: readonly string[]): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    say(shownFreed(file, freed));
    return /^y(es)?$/i.test((await terminal.question("Do you trust this? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

function shownFreed({ path }: Approvable, freed: readonly string[]): string {
  return [printable(path), ...freed.map(quoted)].join("\n");
}

/** Whether what a file of the project allows may run unasked: that very text, at its place, or all of them for this run. */
export function trustFor({ trustProject }: PermissionFlags, home: string) {
  return async (file: Parameters<typeof isApproved>[1]) => trustProject === true || (await isApproved(home, file));
}

/** `varve trust`: shows what this project's settings, skills, commands and servers free, and approves these very contents. */
export async function runTrust(flags: { readonly yes?: boolean }): Promise<number> {
  const places = { home: homeOf(process.env), cwd: process.cwd() };
  const settings = (await projectFiles(places)).map((file) => ({ file, freed: freedBy(file.settings) }));
  const [{ freeingPrompts }, { freeingServers }] = await Promise.all([
    import("./trusted-prompts.ts"),
    import("./trusted-servers.ts"),
  ]);
  const others = [...(await freeingPrompts(places)), ...(await freeingServers(places))];
  const freeing = [
    ...settings.filter(({ freed }) => freed.length > 0),
    ...others.map(({ freed, ...file }) => ({ file, freed })),
  ];
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  let isOpen = false;
  if (freeing.length === 0) say("varve: no settings, skills, commands or servers of this project free anything");
  for (const { file, freed } of freeing) {
    if (await isApproved(places.home, file)) say(`${printable(file.path)}: approved already`);
    else if (flags.yes === true) {
      say(shownFreed(file, freed));
      await approve(places.home, file);
      say(`${printable(file.path)}: approved`);
    } else if (!isAsked) {
      say(shownFreed(file, freed));
      isOpen = true;
    } else if (await confirmed(file, freed)) await approve(places.home, file);
  }
  if (isOpen) throw new CommandError("nobody is there to be asked: look at the files and run `varve trust --yes`");
  return exitCodes.done;
}

function inFolder(directory: string, cwd: string): string {
  return directory.startsWith("~/") ? join(homedir(), directory.slice(2)) : resolve(cwd, directory);
}
