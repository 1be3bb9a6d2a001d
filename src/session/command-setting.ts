import { defaultHome, userHome } from "../adapters/environment.ts";
import { memoryPlaces } from "../adapters/memory-places.ts";
import { memoryReader } from "../adapters/memory-read.ts";
import type { PromptCalls } from "../adapters/server-prompts.ts";
import type { AgentConfig } from "../agent/config.ts";
import type { Session } from "../agent/session.ts";
import { memoryName } from "../memory/memory-file.ts";
import type { Stores } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import type { CommandSetting, SkillCalls } from "./commands.ts";
import type { Forks } from "./fork.ts";
import { laneReports } from "./lane-reports.ts";
import { namedModel } from "./named-model.ts";
import type { Described } from "./options.ts";
import type { LaneStream } from "./start.ts";

/** What commands by name need of an open session. */
export function commandSetting(
  options: Described,
  open: {
    readonly session: Session;
    readonly config: AgentConfig;
    readonly stores: Stores;
    readonly stream: LaneStream;
    readonly clock: Clock;
    readonly skills: SkillCalls | null;
    readonly prompts: PromptCalls | null;
    readonly servers: (() => Promise<string>) | null;
    readonly forks: Forks;
  },
): CommandSetting {
  const { session, skills, prompts, forks } = open;
  const { cwd, home = defaultHome(), userFolder: user = userHome() } = options;
  const modelNamed = (name: string) => namedModel(name, options);
  return {
    session,
    folders: { cwd, user, home },
    skills,
    prompts,
    forks,
    modelNamed,
    isTrusted: options.isTrusted ?? (async () => false),
    note: options.onNote ?? (() => {}),
    local: {
      session,
      ...laneReports(open),
      skills: async () => await skillLines(session, skills),
      servers: open.servers ?? (async () => "there are no MCP servers; `varve mcp add` makes one known"),
      memories: async () => {
        const project = session.state().started?.project ?? null;
        const places = await memoryPlaces({ home, project, cwd, user });
        const { folders, notes } = await memoryReader()(places);
        const files = folders.flatMap((folder) => folder.files);
        const lines = files.map((file) => `${memoryName(file)}  ${file.description}`);
        return [...(lines.length === 0 ? ["nothing is remembered"] : lines), ...notes].join("\n");
      },
      modelNamed,
    },
  };
}

async function skillLines(session: Session, skills: SkillCalls | null): Promise<string> {
  const { attached } = session.state();
  const active = Object.values(attached).filter(({ kind, ended }) => kind === "skill" && ended === null);
  const lines = ((await skills?.list()) ?? []).map(({ name, says }) => {
    const isActive = active.some((one) => one.name === name);
    return `${isActive ? "*" : " "} ${name.padEnd(22)} ${says}`;
  });
  return lines.length === 0 ? "there are no skills" : [...lines, "(* in use)"].join("\n");
}
