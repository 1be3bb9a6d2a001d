import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import { brand } from "../kernel/ids.ts";
import type { EntryBody, EntryOf } from "../log/entry.ts";
import type { ParsedCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { absolutePath } from "../workspace/path.ts";
import type { Limited } from "../workspace/permission-limits.ts";
import type { TemplatePart } from "../workspace/template.ts";
import { commandFault } from "../workspace/template-shell.ts";
import { guardedCall, type Wish } from "./call-hooks.ts";
import { cappedForm } from "./capped-form.ts";
import type { Verdict } from "./config.ts";
import type { Lane } from "./lane.ts";
import { type Refused, refused, stopped } from "./refused.ts";

export type FillLane = Pick<Lane, "config" | "fx" | "texts" | "state"> & {
  record(entries: readonly EntryBody[]): Promise<unknown>;
};

/** In whose text they stand: as it is called, and what it says of tools. */
export type Filling = { readonly command: string; readonly limited: readonly Limited[] };

/**
 * A template's text with what its shell lines print and its files hold, each as a call of its own: by the guards and the permission
 * layer, in the user's name, with the tools' own limits, masks and first forms. All are decided before the first one runs; one that is
 * refused is the end of it. What comes in stands between tags that name where it is from.
 */
export async function filled(
  parts: readonly TemplatePart[],
  filling: Filling,
  lane: FillLane,
  signal: AbortSignal,
): Promise<{ readonly type: "ok"; readonly text: string } | Refused> {
  const wanted: Wanted[] = [];
  for (const part of parts) {
    const one = part.type === "text" ? null : await wantedBy(part, lane);
    if (one !== null && "why" in one) return refused(one.why);
    if (one !== null && part.type !== "text") wanted.push({ ...one, part });
  }
  const ready: Ready[] = [];
  for (const one of wanted) {
    const decided = await decide(one, filling, lane, signal);
    if (decided.type === "refused") return decided;
    ready.push({ ...decided, part: one.part });
  }
  const shown = new Map<TemplatePart, string>();
  for (const one of ready) {
    await lane.record([one.intent]);
    const outcome = await ran(one.call, lane, signal);
    shown.set(one.part, await entered(one, outcome, lane));
    if (signal.aborted) return stopped("it was interrupted");
  }
  return { type: "ok", text: together(parts, shown) };
}

type Placeholder = Exclude<TemplatePart, { readonly type: "text" }>;
type Asked = { readonly tool: string; readonly input: unknown; readonly call: ParsedCall; readonly what: string };
type Wanted = Asked & { readonly part: Placeholder };
type Ready = Wanted & { readonly run: string; readonly intent: EntryBody };

/** null: it is text after all, since there is no such file. */
async function wantedBy(part: Placeholder, lane: FillLane): Promise<Asked | { readonly why: string } | null> {
  if (part.type === "shell") {
    const fault = await commandFault(part);
    if (fault !== null) return { why: `${part.written}: ${fault}` };
    return asked("Bash", { command: part.command }, part.command, lane);
  }
  const path = absolutePath(lane.config.cwd, part.path);
  if ((await lane.fx.fileHash(path)) === null) return null;
  const range = part.lines === null ? {} : { startLine: part.lines.from, endLine: part.lines.to };
  return asked("Read", { path: part.path, ...range }, part.path, lane);
}

function asked(tool: string, input: unknown, what: string, { config }: FillLane): Asked | { readonly why: string } {
  const found = config.tools.find(({ declaration }) => declaration.name === tool);
  const parsed = found?.parse(input) ?? { type: "bad", why: `there is no tool ${tool} here` };
  return parsed.type === "bad" ? { why: `${what}: ${parsed.why}` } : { tool, input, call: parsed.call, what };
}

type Decided = ({ readonly type: "ready" } & Omit<Ready, "part">) | Refused;
type By = EntryOf<"placeholder-started">["by"];

async function decide(
  { part: { written }, ...first }: Wanted,
  { command, limited }: Filling,
  lane: FillLane,
  signal: AbortSignal,
): Promise<Decided> {
  const run = `fill_${lane.fx.ids.token(8)}`;
  const { one, wish } = await guarded(first, run, lane, signal);
  if (signal.aborted) return stopped("it was interrupted");
  if ("why" in one) return refused(`${command} was not sent: ${written}: ${one.why}`);
  const said = (allowed: boolean, by: By, why: string): EntryBody => {
    return { type: "placeholder-started", run, command, what: one.what, allowed, by, why };
  };
  const { type, by, why } = await judged(one, wish, limited, lane);
  if (type === "allow") return { type: "ready", ...one, run, intent: said(true, by, why) };
  const question = { callId: run, tool: one.tool, title: `${command}: ${one.call.title}`, why };
  const answer = type === "ask" ? await answered(lane, question, signal) : null;
  if (answer?.allowed === true) return { type: "ready", ...one, run, intent: said(true, "user", answer.why) };
  const how = type === "ask" && answer === null ? `${why}, and nobody can be asked here` : (answer?.why ?? why);
  await lane.record([said(false, answer === null ? by : "user", how)]);
  return { ...refused(`${command} was not sent: ${written} was refused: ${how}`), by: "permission" };
}

type Guarded = { readonly one: Asked | { readonly why: string }; readonly wish: Wish | null };

/** Hooks that guard the tool are told of it as of any call; where they give another input, that is what is judged and run. */
async function guarded(one: Asked, run: string, lane: FillLane, signal: AbortSignal): Promise<Guarded> {
  const call = {
    callId: brand<"CallId">(run),
    tool: one.tool,
    input: "",
    status: { type: "waiting" },
    pieces: [],
  } as const;
  const { ended, wish, rewritten } = await guardedCall(call, one.input, lane, signal);
  if (ended.length > 0) await lane.record(ended);
  if (rewritten === null) return { one, wish };
  const { input } = rewritten;
  return { one: asked(one.tool, input, whatOf(input) ?? one.what, lane), wish };
}

function whatOf(input: unknown): string | null {
  if (!isRecord(input)) return null;
  return [input.command, input.path].find((one) => typeof one === "string") ?? null;
}

/** As of the model's own calls: a hook refuses anything, has anything asked for, and allows what a rule could. */
async function judged(
  { tool, input, call: { access } }: Asked,
  wish: Wish | null,
  limited: Filling["limited"],
  { config, state }: FillLane,
): Promise<Pick<Verdict, "type" | "why"> & { readonly by: By }> {
  if (wish?.type === "deny") return { ...wish, by: "hook" };
  const { mode } = state();
  const allowedBy = wish?.type === "allow" ? "hook" : null;
  const { type, by = "mode", why } = await config.permission({ mode, tool, access, input, limited, allowedBy });
  if (type !== "allow" || wish === null) return { type, by, why };
  if (wish.type === "allow" || mode !== "dontAsk") return { ...wish, by: "hook" };
  return { type: "deny", by: "hook", why: `${wish.why}; nothing is asked in mode dontAsk` };
}

async function answered(lane: FillLane, question: Parameters<FillLane["fx"]["ask"]>[0], signal: AbortSignal) {
  try {
    return await lane.fx.ask(question, signal);
  } catch (error) {
    return { allowed: false, why: `asking failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function ran(call: ParsedCall, lane: FillLane, signal: AbortSignal): Promise<ToolOutcome> {
  const { mode, modeBefore, tasksStarted, tasksEnded } = lane.state();
  const context: ToolContext = {
    cwd: lane.config.cwd,
    seen: () => null,
    original: async () => null,
    mode: () => mode,
    modeBefore: () => modeBefore,
    tasksStarted: () => tasksStarted,
    tasksEnded: () => tasksEnded,
    onProgress: () => {},
  };
  const failed = (output: string): ToolOutcome => {
    return { ending: "failed", output, exitCode: null, files: [], images: [], form: "whole" };
  };
  try {
    return await lane.fx.runTool(call, context, signal);
  } catch (error) {
    return failed(`It failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The original is kept before its first form is shown. */
async function entered({ run, tool, what }: Ready, outcome: ToolOutcome, lane: FillLane): Promise<string> {
  const { output, exitCode, ending, form } = outcome;
  const handle = handleOf(hashOf(output));
  const kept = await lane.texts.keep(output, bounds.inlineOutputCharsMax);
  await lane.record([{ type: "placeholder-ended", run, ending, exitCode, output: kept, handle, tool, what }]);
  return cappedForm({ tool, text: output, exitCode, form, handle, call: what }, lane.config).text;
}

/** Outputs stand where their lines stood, files behind the text that names them. */
function together(parts: readonly TemplatePart[], shown: ReadonlyMap<TemplatePart, string>): string {
  const files: string[] = [];
  const text = parts.map((part) => {
    const found = shown.get(part);
    if (part.type === "text") return part.text;
    if (found === undefined) return part.written;
    if (part.type === "shell") return framed("output", `of=${attribute(part.written.slice(2, -1))}`, found);
    const lines = part.lines === null ? "" : ` lines="${part.lines.from}-${part.lines.to}"`;
    files.push(framed("file", `path=${attribute(part.path)}${lines}`, found));
    return part.written;
  });
  return [text.join("").trimEnd(), ...new Set(files)].join("\n\n");
}

/** It cannot end its own frame. */
function framed(tag: string, says: string, text: string): string {
  const inside = text.replaceAll(new RegExp(`<(?=\\s*/\\s*${tag}\\b)`, "gi"), "&lt;");
  const isLine = !inside.trimEnd().includes("\n") && tag === "output";
  return isLine ? `<${tag} ${says}>${inside.trimEnd()}</${tag}>` : `<${tag} ${says}>\n${inside.trimEnd()}\n</${tag}>`;
}

function attribute(text: string): string {
  return `"${text.replaceAll('"', "'")}"`;
}
