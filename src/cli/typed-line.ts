import { homedir } from "node:os";
import { skillFinder } from "../adapters/skills.ts";
import { own } from "../kernel/own.ts";
import type { CommandResult } from "../session/command-result.ts";
import { helpText } from "../session/commands.ts";
import { localCommands } from "../session/local-commands.ts";
import type { OpenSession } from "../session/options.ts";
import { callable } from "../session/skills.ts";
import { commandLine } from "../workspace/command-line.ts";
import { modelAsItIs } from "./chosen-model.ts";
import { modelOf } from "./compact-asked.ts";
import { exitCodes, UsageError } from "./exit.ts";
import type { Home } from "./home.ts";
import { type OpenFlags, serversIn, sessionAsItIs, stateOf } from "./open-session.ts";
import { endingInLine, printable, say } from "./terminal.ts";

/** The local command that a line calls; null: it calls none. */
export function localIn(line: string): string | null {
  const called = commandLine(line);
  return called !== null && own(localCommands, called.name) !== undefined ? called.name : null;
}

/** `/help` needs no session and no key. */
export async function printHelp(format: string, { cwd, root }: Home): Promise<number> {
  const folders = { cwd, user: homedir(), home: root };
  const find = skillFinder({ ...folders, isApproved: async () => false });
  const text = await helpText({ folders, skills: { list: async () => callable(await find([])) }, prompts: null });
  return toldLine(format, { type: "told", text: `${text}\n` }, null);
}

/** A session for a command that looks or sets something: no key is needed. Others need the model, and get null. */
export async function sessionFor(
  local: string,
  flags: OpenFlags,
  home: Home,
  session: OpenSession["id"],
): Promise<OpenSession | null> {
  if (local === "compact" || local === "model") return null;
  const state = await stateOf(home, session);
  const chosen = await modelAsItIs(flags, home.root, modelOf(state));
  // Their state can only be seen where they run.
  const servers = local === "mcp" ? await serversIn(state.started?.cwd ?? home.cwd, home, flags) : [];
  return await sessionAsItIs(home, state, session, { chosen, servers });
}

/** What a line came to, where it began no turn: the answer on stdout, or why not. */
export function toldLine(
  format: string,
  result: Exclude<CommandResult, { readonly type: "turn" | "lane" }>,
  session: OpenSession["id"] | null,
): number {
  if (result.type === "unknown") throw new UsageError(result.why);
  if (format !== "text") process.stdout.write(`${JSON.stringify({ ...result, session })}\n`);
  else if (result.type === "told")
    process.stdout.write(endingInLine(process.stdout.isTTY ? printable(result.text) : result.text));
  if (result.type === "told") return exitCodes.done;
  say(`varve: ${printable(result.why)}`);
  return result.by === undefined ? exitCodes.failed : codeBy[result.by];
}

const codeBy = { permission: exitCodes.refused, interrupt: exitCodes.interrupted } as const;
