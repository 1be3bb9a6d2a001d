import { join } from "node:path";
import type { TranscriptRoot } from "../adapters/transcript-files.ts";
import { compileGlob } from "../workspace/glob.ts";
import { homeOf } from "./settings.ts";

/** Where one program keeps its sessions on this machine, or a path that was named (`program` null). */
export type Place = { readonly program: string | null; readonly root: TranscriptRoot };

type Env = Readonly<Record<string, string | undefined>>;

/** All places where sessions of the programs we can read may lie, whether they exist or not. */
export function placesOf(env: Env, home: string): readonly Place[] {
  const at = (name: string, usual: string): string => set(env[name]) ?? join(home, usual);
  const data = set(env.XDG_DATA_HOME) ?? join(home, ".local/share");
  const config = set(env.XDG_CONFIG_HOME) ?? join(home, ".config");
  const codex = at("CODEX_HOME", ".codex");
  const cline = set(env.CLINE_DIR) ?? join(home, ".cline");
  const claude = set(env.CLAUDE_CONFIG_DIR)?.split(",").filter(set) ?? [join(home, ".claude"), join(config, "claude")];
  return [
    ...claude.map((folder) => place("Claude Code", join(folder.trim(), "projects"), "**/*.jsonl")),
    place("Codex", join(codex, "sessions"), "**/rollout-*.{jsonl,json,jsonl.zst}"),
    place("Codex", join(codex, "archived_sessions"), "**/rollout-*.{jsonl,json,jsonl.zst}"),
    place("pi", join(at("PI_CODING_AGENT_DIR", ".pi/agent"), "sessions"), "**/*.jsonl"),
    place("Copilot CLI", join(at("COPILOT_HOME", ".copilot"), "session-state"), "{./*.jsonl,*/events.jsonl}"),
    place("Gemini CLI", join(set(env.GEMINI_CLI_HOME) ?? home, ".gemini/tmp"), "*/chats/**/*.{json,jsonl}"),
    place("opencode", join(data, "opencode"), "{./opencode*.db,storage/message/**/*.json}"),
    ...editors.flatMap((editor) =>
      [config, join(home, "Library/Application Support")].map((base) =>
        place("Cline", join(base, editor, clineStorage), clineFiles),
      ),
    ),
    ...servers.map((server) => place("Cline", join(home, server, "data", clineStorage), clineFiles)),
    place("Cline", cline, `{data/,}{${clineFiles},sessions/**/*.messages.json}`),
    place("OpenHands", join(home, ".openhands"), openHandsFiles),
    place("OpenHands", join(home, ".openhands-state"), openHandsFiles),
    place("Varve", join(homeOf(env), "sessions"), "*/{main.jsonl,lanes/*.jsonl}"),
  ];
}

const editors: readonly string[] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const servers: readonly string[] = [".vscode-server", ".vscode-server-insiders", ".cursor-server"];
const clineStorage = "User/globalStorage/saoudrizwan.claude-dev";
const clineFiles = "tasks/*/api_conversation_history.json";
const openHandsFiles = "**/events/*.json";

function place(program: string, path: string, files: string): Place {
  const glob = compileGlob(files);
  if (glob.type === "bad") throw new Error(`the pattern of ${program}: ${glob.why}`);
  return { program, root: { type: "usual", path, accepts: glob.matches } };
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value;
}
