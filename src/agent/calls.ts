import { bounds } from "../kernel/bounds.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { CallId, Handle } from "../kernel/ids.ts";
import { itemsOf } from "../kernel/vector.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Call } from "../log/state.ts";
import type { ParsedCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { toldOfResult } from "./call-hooks.ts";
import { besideResult, noteCost, type Outcome } from "./call-notes.ts";
import { fixedForm } from "./fixed-form.ts";
import type { Lane } from "./lane.ts";
import { windowTokensNow } from "./limits-now.ts";
import { parse } from "./parsed-input.ts";
import { skillCalls } from "./skills.ts";

export function started(callId: CallId, lane: Lane): readonly EntryBody[] {
  return [{ type: "tool-started", callId, tool: callOf(callId, lane).tool }];
}

/** Runs a call to its result. When its signal fires and it does not end, it is abandoned after a limit (CASES C-021). */
export async function runTool(callId: CallId, lane: Lane, signal: AbortSignal): Promise<readonly EntryBody[]> {
  const call = callOf(callId, lane);
  const parsed = parse(call, lane);
  if (parsed.type === "bad") return await returned(call, failed(parsed.why), lane);
  const context = contextOf(call, lane, signal);
  const running = ran(parsed.call, context, lane, signal);
  const outcome = (await Promise.race([running, givenUp(lane, signal)])) ?? abandoned;
  const entries = await returned(call, outcome, lane);
  const { as } = parsed.call;
  const told = as === undefined ? { call, input: parsed.input } : { call: { ...call, tool: as.tool }, input: as.input };
  return await toldOfResult({ ...told, outcome, entries }, lane, signal);
}

async function ran(call: ParsedCall, context: ToolContext, lane: Lane, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await lane.fx.runTool(call, context, signal);
  } catch (error) {
    return failed(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The result of a call that ran, but whose result could not be kept (a full disk, a fault of ours). */
export function lostCall(callId: CallId): EntryBody {
  const text =
    "Interrupted: this call ran, but its result could not be stored, so its outcome is unknown. It may have had its effect, " +
    "in part or in whole. Check before you repeat it.";
  return { type: "outcome-unknown", what: "tool", callId, text };
}

export async function closeCall(
  callId: CallId,
  ending: "refused" | "not-run",
  why: string,
  lane: Lane,
): Promise<readonly EntryBody[]> {
  const text = ending === "refused" ? `Refused: ${why}. The call did not run.` : why;
  return await returned(callOf(callId, lane), { ...failed(text), ending }, lane);
}

export async function returned(call: Call, outcome: Outcome, lane: Lane): Promise<readonly EntryBody[]> {
  const { texts } = lane;
  const handle = handleOf(hashOf(outcome.output));
  const images = outcome.images.map(async (image) => ({ ...image, data: await texts.keep(image.data) }));
  const result: EntryBody = {
    type: "tool-returned",
    callId: call.callId,
    tool: call.tool,
    ending: outcome.ending,
    output: await texts.keep(outcome.output, bounds.inlineOutputCharsMax),
    handle,
    exitCode: outcome.exitCode,
    files: outcome.files,
    images: await Promise.all(images),
  };
  const form = await fixedForm(call, outcome, lane);
  noteCost(outcome, form, lane);
  return [result, ...form, ...(await besideResult(call.callId, outcome, lane))];
}

function contextOf(call: Call, lane: Lane, signal: AbortSignal): ToolContext {
  const { state, texts, emit } = lane;
  return {
    cwd: lane.config.cwd,
    seen: (path) => state().files[path]?.hash ?? null,
    mode: () => state().mode,
    modeBefore: () => state().modeBefore,
    tasksStarted: () => state().tasksStarted,
    tasksEnded: () => state().tasksEnded,
    original: async (handle) => await original(handle, lane),
    skills: skillCalls(lane, signal),
    windowTokens: () => windowTokensNow(state(), lane.config),
    onProgress: (text) => {
      if (!signal.aborted && isOpen(call.callId, lane)) emit({ type: "progress", callId: call.callId, text });
    },
  };
  async function original(wanted: Handle, { state: now }: Lane): Promise<{ readonly text: string } | null> {
    for (const { handle, text } of itemsOf(now().originals)) {
      if (handle !== wanted) continue;
      const read = await texts.read(text);
      return read === null ? null : { text: read };
    }
    return null;
  }
}

/** null, once the signal has fired and what it stops has had its time to stop. */
export async function givenUp(lane: Lane, signal: AbortSignal): Promise<null> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await lane.fx.clock.sleep(bounds.abandonMsMax);
  return null;
}

function isOpen(callId: CallId, lane: Lane): boolean {
  return lane.state().calls.some((call) => call.callId === callId && call.status.type === "started");
}

export function callOf(callId: CallId, lane: Lane): Call {
  const call = lane
    .state()
    .calls.find((candidate) => candidate.callId === callId && candidate.status.type !== "returned");
  if (call === undefined) throw new Error(`no open call has the id ${callId}`);
  return call;
}

const abandoned: ToolOutcome = {
  ...failed("Interrupted by the user; the call did not stop in time and was given up."),
  ending: "interrupted",
};

export function failed(output: string): ToolOutcome {
  return { ending: "failed", output, exitCode: null, files: [], images: [], form: "whole" };
}
