import type { EntryBody } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import type { Call } from "../log/state.ts";
import type { Hook, HookInput } from "../ports/hooks.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import { ownInput, toldInput } from "../workspace/hook-input.ts";
import {
  attachedOf,
  type HookLane,
  hookName,
  ran,
  roundOf,
  type Said,
  startedEntries,
  type Told,
  wordsOf,
} from "./hooks.ts";
import type { Lane } from "./lane.ts";

type CallLane = HookLane & Pick<Lane, "config">;

/** What hooks want of a call, taken together: deny before ask before allow. */
export type Wish = { readonly type: "allow" | "ask" | "deny"; readonly why: string };

/** What guards said of a call. `ended` goes into the log with what comes of it. */
export type Guarding = {
  readonly ended: readonly EntryBody[];
  readonly wish: Wish | null;
  /** The first rewriting, in the order of the settings: the strongest file's. */
  readonly rewritten: { readonly input: unknown; readonly hook: Hook } | null;
};

const unguarded: Guarding = { ended: [], wish: null, rewritten: null };

/** Tells `PreToolUse` hooks of a call before anything else decides on it. */
export async function guardedCall(call: Call, input: unknown, lane: CallLane, signal: AbortSignal): Promise<Guarding> {
  const round = roundOf(lane, "PreToolUse", call.tool, call.callId);
  if (round === null) return unguarded;
  // They were told already: asked for is asked for, and what was cut off is not run again (DESIGN 4).
  if (call.status.type === "asked") return { ...unguarded, wish: { type: "ask", why: "it was to be asked for" } };
  if (lane.state().hooks.unsure.includes(call.callId))
    return { ...unguarded, wish: { type: "ask", why: "a hook that guards it was cut off, so it allowed nothing" } };
  await lane.record(startedEntries(round));
  const told = await ran(round, inputOf(call, input, lane), lane, signal);
  return await guardingOf(told, { call, input, run: round.runs[0]?.run ?? "" }, lane);
}

/** `PermissionRequest` hooks, whose intents are stored with the question. */
export async function guardingOf(
  { ended, said }: Told,
  { call: { tool }, input, run }: { readonly call: Call; readonly input: unknown; readonly run: string },
  lane: CallLane,
): Promise<Guarding> {
  const first = said.find(({ rewrites }) => rewrites !== null);
  // Why a call is refused, its result says.
  const context = said.map(({ hook, context: text }) => ({ hook, text }));
  const event = said[0]?.hook.event ?? "PreToolUse";
  const own = (given: unknown) => ownInput(tool, given, toldInput(tool, input, lane.config.cwd));
  return {
    ended: [...ended, ...(await attachedOf({ event, subject: tool, run }, context, lane))],
    wish: wishOf(said),
    rewritten: first?.rewrites == null ? null : { input: own(first.rewrites.input), hook: first.hook },
  };
}

function wishOf(said: readonly Said[]): Wish | null {
  for (const type of ["deny", "ask", "allow"] as const) {
    const one = said.find(({ permission }) => permission === type);
    if (one === undefined) continue;
    const { hook, outcome, detail } = one;
    const how = type === "ask" && outcome !== "done" ? ` ended without an answer (${outcome})` : ` says ${type}`;
    return { type, why: `the hook ${hookName(hook)}${how}${detail === "" ? "" : `: ${detail}`}` };
  }
  return null;
}

export function inputOf({ tool, callId }: Call, input: unknown, { config }: Pick<Lane, "config">): HookInput {
  return { tool_name: tool, tool_input: toldInput(tool, input, config.cwd), tool_use_id: callId };
}

/** Tells hooks of a result. It is stored before they run, whatever becomes of them; what they say stands beside it. */
export async function toldOfResult(
  {
    call,
    input,
    outcome,
    entries,
  }: {
    readonly call: Call;
    readonly input: unknown;
    readonly outcome: Pick<ToolOutcome, "ending" | "output" | "exitCode" | "files">;
    readonly entries: readonly EntryBody[];
  },
  lane: CallLane,
  signal: AbortSignal,
): Promise<readonly EntryBody[]> {
  const event: HookEvent = outcome.ending === "done" ? "PostToolUse" : "PostToolUseFailure";
  const round = signal.aborted ? null : roundOf(lane, event, call.tool, call.callId);
  if (round === null) return entries;
  await lane.record([...entries, ...startedEntries(round)]);
  const result =
    event === "PostToolUse"
      ? { tool_response: responseOf(outcome) }
      : { error: outcome.output, is_interrupt: outcome.ending === "interrupted" };
  const { ended, said } = await ran(round, { ...inputOf(call, input, lane), ...result }, lane, signal);
  const of = { event, subject: `${call.tool}, ${call.callId}`, run: round.runs[0]?.run ?? "" } as const;
  return [...ended, ...(await attachedOf(of, wordsOf(said), lane))];
}

/** One shape for all tools; with the names that hooks written for Claude Code look for. */
function responseOf({
  output,
  exitCode,
  files,
  ending,
}: Pick<ToolOutcome, "ending" | "output" | "exitCode" | "files">) {
  const paths = files.map(({ path }) => path);
  return {
    success: ending === "done",
    output,
    ...(exitCode === null ? {} : { exitCode, stdout: output, stderr: "", interrupted: false }),
    ...(paths.length === 0 ? {} : { filePath: paths[0], files: paths }),
  };
}

/** Tells `PermissionDenied` hooks, who can change nothing any more. */
export async function toldOfRefusal(
  {
    call,
    input,
    entries,
    why,
  }: {
    readonly call: Call;
    readonly input: unknown;
    readonly entries: readonly EntryBody[];
    readonly why: string;
  },
  lane: CallLane,
  signal: AbortSignal,
): Promise<readonly EntryBody[]> {
  const round = signal.aborted ? null : roundOf(lane, "PermissionDenied", call.tool, call.callId);
  if (round === null) return entries;
  await lane.record([...entries, ...startedEntries(round)]);
  const { ended, said } = await ran(round, { ...inputOf(call, input, lane), reason: why }, lane, signal);
  const of = { event: "PermissionDenied", subject: call.tool, run: round.runs[0]?.run ?? "" } as const;
  return [...ended, ...(await attachedOf(of, wordsOf(said), lane))];
}

/** What runs instead, for the log, and word of it for the model, whose own words stay as they are. */
export async function rewrittenEntries(
  { callId, tool }: Call,
  { input, hook }: NonNullable<Guarding["rewritten"]>,
  lane: HookLane,
): Promise<readonly EntryBody[]> {
  const text = JSON.stringify(input);
  const words = [{ hook, text: `gave your call ${callId} another input; if it runs, it runs with this one: ${text}` }];
  const of = { event: hook.event, subject: tool, run: `rewrote ${callId}` } as const;
  return [
    { type: "input-rewritten", callId, input: await lane.texts.keep(text), by: hookName(hook) },
    ...(await attachedOf(of, words, lane)),
  ];
}
