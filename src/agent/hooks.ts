import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { type CallId, mainLane } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import type { State } from "../log/state.ts";
import type { Hook, HookInput, HookRan } from "../ports/hooks.ts";
import { reminderText } from "../prompt/context.ts";
import { type HookSaid, hookSaid } from "../workspace/hook-output.ts";
import type { Lane } from "./lane.ts";

/** What telling hooks of something needs of a lane. */
export type HookLane = Pick<Lane, "fx" | "texts" | "state" | "record">;

/** Whether it is a lane of its own, beside the main one; hooks know all of these by one type. */
export function isBeside({ started }: Pick<State, "started">): boolean {
  return started !== null && started.lane !== mainLane;
}

export const besideType = "fork";

/** The hooks of one event that are to be told now. null: there are none, and nothing is written or waited for. */
export type Round = {
  readonly event: HookEvent;
  readonly callId: CallId | null;
  readonly runs: readonly { readonly run: string; readonly hook: Hook }[];
};

export type Said = HookSaid & { readonly hook: Hook };

/** What a round brought: its ends in the log, and what was said, in the order of the settings. */
export type Told = { readonly ended: readonly EntryBody[]; readonly said: readonly Said[] };

export function roundOf(
  { fx }: Pick<HookLane, "fx">,
  event: HookEvent,
  subject: string,
  callId: CallId | null = null,
): Round | null {
  const due = fx.hooks?.due(event, subject) ?? [];
  if (due.length === 0) return null;
  return { event, callId, runs: due.map((hook) => ({ run: `hook_${fx.ids.token(8)}`, hook })) };
}

/** The intents, to be stored before anything is run. */
export function startedEntries({ event, callId, runs }: Round): readonly EntryBody[] {
  return runs.map(({ run, hook }) => {
    const of = callId === null ? {} : { callId };
    return { type: "hook-started", run, event, command: hook.command, ...of };
  });
}

/** Of one whose end nobody learned. */
export function lostHook(run: string, { event, command }: Pick<Hook, "event" | "command">): EntryBody {
  const detail = "Varve ended while it ran, or could not store its end";
  return { type: "hook-ended", run, event, command, outcome: "unknown", exitCode: null, ms: null, detail };
}

/** Runs a round whose intents are stored, its hooks side by side. Whatever they do, it ends soon after the signal. */
export async function ran(round: Round, input: HookInput, lane: HookLane, signal: AbortSignal): Promise<Told> {
  const { mode, started } = lane.state();
  const beside = isBeside({ started }) ? { agent_id: started?.lane, agent_type: besideType } : {};
  const told = { permission_mode: mode, ...beside, ...input };
  const waiting = [...round.runs];
  const ends = new Map<string, { readonly entry: EntryBody; readonly said: Said }>();
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { run, hook } = next;
      const from = lane.fx.clock.now();
      const said = hookSaid(round.event, await oneRun(hook, told, lane, signal));
      const entry = endedEntry(run, hook, said, lane.fx.clock.now() - from);
      ends.set(run, { entry, said: { ...said, hook } });
    }
  };
  await Promise.all(Array.from({ length: bounds.hooksAtOnceMax }, worker));
  const all = round.runs.flatMap(({ run }) => ends.get(run) ?? []);
  return { ended: all.map(({ entry }) => entry), said: all.map(({ said }) => said) };
}

export const nothingTold: Told = { ended: [], said: [] };

/** The port promises to end and not to throw; who embeds us may break promises (STYLE 24). */
async function oneRun(hook: Hook, input: HookInput, { fx }: HookLane, signal: AbortSignal): Promise<HookRan> {
  if (signal.aborted || fx.hooks === null) return interrupted;
  try {
    return await Promise.race([fx.hooks.run(hook, input, signal), abandoned(fx, signal)]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { end: { type: "not-started", why }, output: "", errorOutput: "" };
  }
}

async function abandoned(fx: HookLane["fx"], signal: AbortSignal): Promise<HookRan> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await fx.clock.sleep(bounds.abandonMsMax);
  return interrupted;
}

const interrupted: HookRan = { end: { type: "interrupted" }, output: "", errorOutput: "" };

function endedEntry(run: string, { event, command }: Hook, said: HookSaid, ms: number): EntryBody {
  const { outcome, exitCode, detail, message, stops } = said;
  return {
    type: "hook-ended",
    run,
    event,
    command,
    outcome,
    exitCode,
    ms,
    detail,
    ...(message === "" ? {} : { message }),
    ...(stops === null ? {} : { stops }),
  };
}

/** What each has for the model: why it blocks, and what it adds. */
export function wordsOf(said: readonly Said[]): readonly { readonly hook: Hook; readonly text: string }[] {
  return said.map(({ hook, outcome, detail, context }) => {
    const why = outcome === "blocked" ? detail : "";
    return { hook, text: [why, context].filter((part) => part !== "").join("\n") };
  });
}

/** What hooks have for the model: one block of its own that names them, and cannot be taken for anybody else's words. */
export async function attachedOf(
  of: { readonly event: HookEvent; readonly subject: string; readonly run: string },
  lines: readonly { readonly hook: Hook; readonly text: string }[],
  { texts }: Pick<HookLane, "texts">,
): Promise<readonly EntryBody[]> {
  const said = lines.filter(({ text }) => text !== "");
  if (said.length === 0) return [];
  const subject = of.subject === "" ? "" : ` (${of.subject})`;
  const heads = `What the user's hooks for ${of.event}${subject} said; the words are the hooks', not the user's:`;
  const body = said.map(({ hook, text }) => `Hook ${hookName(hook)}: ${text}`).join("\n");
  const text = reminderText(`${heads}\n${cut(body)}`);
  const source = said.map(({ hook }) => hookName(hook)).join(", ");
  const attachment = { kind: "hook", name: `${of.event} ${of.run}`, source: cut(source, 300) } as const;
  return [{ type: "text-attached", attachment: { ...attachment, hash: hashOf(body), text: await texts.keep(text) } }];
}

/** A hook for people and models: its command, and the file that names it. */
export function hookName({ command, file }: Pick<Hook, "command" | "file">): string {
  return `"${cut(command.replaceAll(/\s+/g, " "), commandCharsShown)}" of ${file}`;
}

const commandCharsShown = 120;

function cut(text: string, charsMax: number = bounds.hookTextCharsMax): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}
