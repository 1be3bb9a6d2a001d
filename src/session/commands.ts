import {
  type CommandFolders,
  type CommandsFound,
  findCommands,
  readCommand,
  readCommands,
} from "../adapters/commands.ts";
import { standsThere } from "../adapters/fs.ts";
import type { PromptCalls } from "../adapters/server-prompts.ts";
import type { CommandCall } from "../agent/command-call.ts";
import { type Refused, refused } from "../agent/refused.ts";
import type { Session, TurnResult } from "../agent/session.ts";
import { own } from "../kernel/own.ts";
import type { CommandFile } from "../workspace/command-file.ts";
import { type CommandLine, commandLine, literalSlash, nearNames } from "../workspace/command-line.ts";
import { shownPath } from "../workspace/path.ts";
import type { CommandResult, Commands } from "./command-result.ts";
import type { Forks } from "./fork.ts";
import { laneModel } from "./lane-model.ts";
import { type LocalLane, localCommands } from "./local-commands.ts";

export type CommandSetting = {
  readonly session: Pick<Session, "prompt" | "call" | "state">;
  readonly local: Omit<LocalLane, "help">;
  readonly folders: CommandFolders;
  readonly skills: SkillCalls | null;
  readonly prompts: PromptCalls | null;
  readonly forks: Forks;
  readonly modelNamed: LocalLane["modelNamed"];
  /** Whether what a project's file allows may run unasked: its very text, at its place. */
  readonly isTrusted: (file: { readonly path: string; readonly text: string }) => Promise<boolean>;
  readonly note: (text: string) => void;
};

/** Skills that the user may call. */
export type SkillCalls = {
  list(): Promise<readonly { readonly name: string; readonly hint: string; readonly says: string }[]>;
  /** null: there is none of that name. */
  call(name: string, typed: string): Promise<TurnResult | Refused | null>;
  /** One that asks for a lane of its own, as a command; null: there is none of that name. */
  laned(name: string): Promise<LanedSkill | null>;
};

/** `folder`: of its references and scripts. */
export type LanedSkill = CommandFile & { readonly folder: string | null };

export function commandsOf(setting: CommandSetting): Commands {
  return {
    async command(line) {
      const called = commandLine(line);
      if (called === null) return await said(literalSlash(line) ?? line, setting);
      const local = own(localCommands, called.name);
      if (local !== undefined)
        return await local.run(called.typed, { ...setting.local, help: () => helpText(setting) });
      const found = await findCommands(setting.folders);
      const file = found.commands.find(({ name }) => name === called.name);
      if (file !== undefined) {
        for (const note of found.notes) setting.note(note);
        const read = await readCommand(file);
        if (read.type === "bad") return refused(`/${called.name} is not run: ${read.why.join("; ")}`);
        for (const note of read.notes) setting.note(note);
        return await callFile(read.command, called, setting);
      }
      const laned = (await setting.skills?.laned(called.name)) ?? null;
      if (laned !== null) return await callFile(laned, called, setting);
      const turn = (await setting.skills?.call(called.name, called.typed)) ?? null;
      if (turn !== null) return "type" in turn ? turn : { type: "turn", turn };
      const prompted = (await setting.prompts?.call(called.name, called.typed)) ?? null;
      if (prompted !== null) return "type" in prompted ? prompted : { type: "turn", turn: prompted };
      // `/etc` alone is a folder, and a question about it a message.
      if (await standsThere(`/${called.name}`)) return await said(line, setting);
      return await unknown(called, found, setting);
    },
  };
}

async function said(text: string, { session }: CommandSetting): Promise<CommandResult> {
  return { type: "turn", turn: await session.prompt(text) };
}

async function callFile(
  file: CommandFile | LanedSkill,
  { typed }: CommandLine,
  setting: CommandSetting,
): Promise<CommandResult> {
  const { name, scope, limits, body, argumentNames, text, agent } = file;
  const { session, folders, isTrusted, note } = setting;
  if (agent !== null)
    return refused(`/${name} is not run: it asks for the agent ${agent}, and there are no agents of one's own here`);
  const folder = "folder" in file ? file.folder : null;
  const source = shownPath(folders.cwd, file.file);
  const grants = scope === "user" || (limits.allowed !== null && (await isTrusted({ path: file.file, text })));
  if (!grants && limits.allowed !== null && limits.allowed.length > 0)
    note(
      `${source} was not approved: what it allows is asked for; see and approve it with \`varve trust\`, or for one run with --trust-project`,
    );
  const call: CommandCall = {
    name,
    typed,
    source: `${source} (${scope === "user" ? "the user's own" : "the project's"})`,
    body,
    argumentNames,
    variables: { ...variablesOf(setting), ...(folder === null ? {} : { SKILL_DIR: folder }) },
    limits: { ...limits, grants },
    ...(folder === null ? {} : { folder }),
  };
  const model = laneModel(file, setting);
  if (model === null) {
    const turn = await session.call(call);
    return "type" in turn ? turn : { type: "turn", turn };
  }
  if ("type" in model) return refused(`/${name} is not run: ${model.why}`);
  const forked = await setting.forks.run(call, model);
  return "type" in forked ? forked : { type: "lane", ...forked };
}

function variablesOf({ session, folders }: CommandSetting): Readonly<Record<string, string>> {
  const { started, model } = session.state();
  return {
    SESSION_ID: started?.session ?? "",
    PROJECT_DIR: folders.cwd,
    EFFORT: model?.effort ?? "medium",
  };
}

async function unknown(
  { name }: CommandLine,
  { commands }: CommandsFound,
  setting: CommandSetting,
): Promise<CommandResult> {
  const skills = (await setting.skills?.list()) ?? [];
  const beside = [...skills, ...(setting.prompts?.list() ?? [])].map((one) => one.name);
  const names = [...Object.keys(localCommands), ...commands.map((one) => one.name), ...beside];
  const near = nearNames(name, names).map((one) => `/${one}`);
  const meant = near.length === 0 ? "/help lists them" : `did you mean ${near.join(" or ")}? /help lists them all`;
  return { type: "unknown", why: `there is no command /${name}; ${meant}; //${name} says it as text` };
}

/** A line for each command, skills included. */
export async function helpText(
  setting: Pick<CommandSetting, "folders"> & {
    readonly skills: Pick<SkillCalls, "list"> | null;
    readonly prompts: Pick<PromptCalls, "list"> | null;
  },
): Promise<string> {
  const { commands, notes } = await findCommands(setting.folders);
  const reads = await readCommands(commands);
  const files = commands.map(({ name }, at) => {
    const read = reads[at];
    return read?.type === "ok"
      ? { name, hint: read.command.argumentHint, says: read.command.description }
      : { name, hint: "", says: `not run: ${read?.why[0] ?? ""}` };
  });
  const local = Object.entries(localCommands).map(([name, { hint, says }]) => ({ name, hint, says }));
  const skills = (await setting.skills?.list()) ?? [];
  const all = [...local, ...files, ...skills, ...(setting.prompts?.list() ?? [])];
  // Of one name the first is called: a local command, then a file, a skill, a server's prompt.
  const lines = all
    .filter(({ name }, at) => all.findIndex((one) => one.name === name) === at)
    .map(({ name, hint, says }) => `${`/${name}${hint === "" ? "" : ` ${hint}`}`.padEnd(24)} ${says}`);
  return [...lines, ...notes, "", "//name says /name as text; any other line is a message."].join("\n");
}
