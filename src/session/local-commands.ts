import type { LaneReport } from "../agent/context-of.ts";
import { type Refused, refused } from "../agent/refused.ts";
import type { Session } from "../agent/session.ts";
import { type Money, moneyText } from "../budget/prices.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { contextText } from "../ledger/context-text.ts";
import type { LedgerRow } from "../ledger/row.ts";
import type { ModelChoice, PermissionMode } from "../log/entry.ts";
import type { FactCommand } from "../memory/fact-commands.ts";

/** What local commands look at and act on. */
export type LocalLane = {
  readonly session: Omit<Session, "prompt" | "call">;
  /** From the log alone. */
  report(): Promise<LaneReport>;
  /** What the lanes it started sent, from their logs. */
  laneRows(): Promise<readonly LedgerRow[]>;
  /** `/name  what it does`, a line each. */
  help(): Promise<string>;
  skills(): Promise<string>;
  memories(): Promise<string>;
  /** MCP servers as they are now. */
  servers(): Promise<string>;
  /** A model by its name, where the session can reach it. */
  modelNamed(name: string): ModelChoice | Refused;
};

export type LocalAnswer = { readonly type: "told"; readonly text: string } | Refused;

export type LocalCommand = {
  readonly hint: string;
  readonly says: string;
  readonly run: (typed: string, lane: LocalLane) => Promise<LocalAnswer>;
};

/** Commands that run here and send nothing (M-40); `/compact` alone asks the model, for a summary. By name. */
export const localCommands: Readonly<Record<string, LocalCommand>> = {
  help: { hint: "", says: "these lines", run: async (_typed, lane) => told(await lane.help()) },
  status: { hint: "", says: "model, mode, tokens, cost, and what is in the window", run: status },
  context: { hint: "", says: "what fills the window", run: context },
  cost: { hint: "", says: "what the session cost so far", run: cost },
  compact: { hint: "[focus]", says: "sum finished work up now", run: compact },
  undo: { hint: "", says: "take the newest compaction back", run: undo },
  facts: { hint: "[pin TEXT | retire ID | accept ID | refuse ID]", says: "rules in every request", run: facts },
  mcp: { hint: "", says: "MCP servers, and what they have", run: async (_typed, lane) => told(await lane.servers()) },
  memory: {
    hint: "",
    says: "what is remembered across sessions",
    run: async (_typed, lane) => told(await lane.memories()),
  },
  skills: { hint: "[done NAME]", says: "skills, and which are in use; or one is done with", run: skills },
  model: { hint: "[name]", says: "the model in use, or another one", run: model },
  mode: { hint: "[name]", says: "the permission mode, or another one", run: mode },
};

function told(text: string): LocalAnswer {
  return { type: "told", text: text.endsWith("\n") ? text : `${text}\n` };
}

async function status(_typed: string, lane: LocalLane): Promise<LocalAnswer> {
  const { state: now } = lane.session;
  const { model: chosen, mode: inMode, attached, turns, started } = now();
  const { view, rows } = await lane.report();
  const all = [...rows, ...(await lane.laneRows())];
  const shown = Object.values(attached).filter(({ ended }) => ended === null);
  const lines = [
    ["session", `${started?.session ?? "?"} in ${started?.cwd ?? "?"}, ${turns} turns`],
    ["model", chosen === null ? "none chosen" : modelWords(chosen)],
    ["mode", inMode],
    [
      "tokens",
      view === null
        ? "nothing was sent yet"
        : `${counted(view.usedTokens)} of ${counted(view.usableTokens)} usable (${view.percent} %)`,
    ],
    ["cost", costWords(all)],
    ["facts", `${now().facts.active.length} in force`],
    ...shown.map(({ kind, name }) => [kind, name]),
  ];
  return told(lines.map(([name = "", what = ""]) => `${name.padEnd(13)} ${what}`).join("\n"));
}

async function context(_typed: string, lane: LocalLane): Promise<LocalAnswer> {
  const { view } = await lane.report();
  return told(view === null ? "nothing was sent yet" : contextText(view, { width: 80, color: false }));
}

async function cost(_typed: string, lane: LocalLane): Promise<LocalAnswer> {
  const rows = [...(await lane.report()).rows, ...(await lane.laneRows())];
  const reported = rows.flatMap((row) => (row.reported === "unknown" ? [] : [row.reported]));
  const prompts = reported.reduce((sum, usage) => sum + promptTokensOf(usage), 0);
  const read = reported.reduce((sum, usage) => sum + usage.cacheRead, 0);
  const share = prompts === 0 ? 0 : Math.round((read * 100) / prompts);
  return told(
    `${costWords(rows)}; ${rows.length} requests, ${counted(prompts)} tokens of prompts (${share} % read from the cache)`,
  );
}

/** One that is unknown makes the sum a lower bound, and that is said (law 9). */
function costWords(rows: readonly LedgerRow[]): string {
  const usd = rows.reduce((sum, { cost: one }) => sum + (one.type === "usd" ? one.usd : 0), 0);
  const unknown = rows.filter(({ cost: one }) => one.type === "unknown").length;
  const local = rows.flatMap(({ cost: one }): readonly Money[] => (one.type === "evaluated-tokens" ? [one] : []));
  const tokens = local.reduce((sum, one) => sum + (one.type === "evaluated-tokens" ? one.tokens : 0), 0);
  const money = local.length > 0 ? `${counted(tokens)} tokens evaluated here` : moneyText({ type: "usd", usd });
  return unknown === 0 ? money : `${money}, and ${unknown} requests of unknown price`;
}

async function compact(focus: string, { session }: LocalLane): Promise<LocalAnswer> {
  const done = await session.compact({ focus });
  if (done.type === "refused") return done;
  return told(`compacted: ${counted(done.tokensBefore)} tokens before, ${counted(done.tokensAfter)} after`);
}

async function undo(_typed: string, { session }: LocalLane): Promise<LocalAnswer> {
  const done = await session.undo();
  return done.type === "refused" ? done : told(`undone; the next request: about ${counted(done.tokens)} tokens`);
}

async function facts(typed: string, { session }: LocalLane): Promise<LocalAnswer> {
  const command = factCommand(typed);
  if (command === "list") {
    const { active, proposed } = session.state().facts;
    const waiting = proposed.map(({ id, text }) => `${id}  proposed  ${text}`);
    const lines = [...active.map(({ id, scope, text }) => `${id}  ${scope}  ${text}`), ...waiting];
    return told(lines.length === 0 ? "no facts are in force" : lines.join("\n"));
  }
  if (command === null) return refused("/facts: expected nothing, pin TEXT, retire ID, accept ID or refuse ID");
  const change = await session.changeFacts(command);
  return change.type === "refused" ? change : told(change.said);
}

function factCommand(typed: string): FactCommand | "list" | null {
  if (typed === "" || typed === "list") return "list";
  const [, action = "", rest = ""] = /^(\S+)\s+([\s\S]+)$/.exec(typed) ?? [];
  if (action === "pin") return { type: "pin", text: rest, scope: "session" };
  if (action === "accept") return { type: "accept", fact: rest, scope: "session" };
  return action === "retire" || action === "refuse" ? { type: action, fact: rest } : null;
}

async function skills(typed: string, { session, skills: list }: LocalLane): Promise<LocalAnswer> {
  const [, name] = /^done\s+\/?(\S+)$/.exec(typed) ?? [];
  if (name === undefined) return typed === "" ? told(await list()) : refused("/skills: expected nothing, or done NAME");
  return (await session.finishSkill(name)) ?? told(`skill ${name} is done with: its text leaves with the next epoch`);
}

async function model(name: string, { session, modelNamed }: LocalLane): Promise<LocalAnswer> {
  const { model: before } = session.state();
  if (name === "") return told(before === null ? "no model was chosen" : modelWords(before));
  const chosen = modelNamed(name);
  if ("type" in chosen) return chosen;
  await session.chooseModel(chosen);
  return told(`from the next request on: ${modelWords(chosen)}`);
}

function modelWords({ model: name, wire, effort }: ModelChoice): string {
  return `${name} (${wire}${effort === null ? "" : `, effort ${effort}`})`;
}

async function mode(name: string, { session }: LocalLane): Promise<LocalAnswer> {
  if (name === "") return told(session.state().mode);
  const chosen = choosable.find((one) => one === name);
  if (chosen === undefined)
    return refused(
      `/mode: expected one of ${choosable.join(", ")}; got "${name}" (bypassPermissions by --permission-mode)`,
    );
  await session.chooseMode(chosen);
  return told(`mode ${chosen}`);
}

/** The mode in which nothing asks is chosen where a session is opened, with the settings that may forbid it at hand. */
const choosable: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "dontAsk"];

function counted(count: number): string {
  return count.toLocaleString("en-US");
}
