import type { EntryBody } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import { textOf } from "../prompt/render.ts";
import { attachedOf, lostHook, ran, roundOf, startedEntries, wordsOf } from "./hooks.ts";
import type { Lane } from "./lane.ts";
import type { Effect, LoopEvent } from "./situation.ts";

type Telling = Extract<Effect, { readonly type: "tell-hooks" }>;

/** A round as an effect: its intents are stored before it starts, its ends when all have ended. */
export function tellHooks({ event, subject }: Telling, lane: Lane) {
  const round = roundOf(lane, event, subject);
  if (round === null) return { intent: [], start: async () => [], lost: [] };
  const { state } = lane;
  const isManual = state().summary.wanted !== null;
  return {
    intent: startedEntries(round),
    start: async (signal: AbortSignal) => {
      const { ended: ends, said } = await ran(round, inputs[event](lane, subject), lane, signal);
      const blocked = said.find(({ outcome }) => outcome === "blocked");
      const refusal: readonly EntryBody[] =
        event === "PreCompact" && isManual && blocked !== undefined
          ? [{ type: "compaction-refused", detail: `a hook does not want it: ${blocked.detail}` }]
          : [];
      const words = listens.has(event) ? wordsOf(said) : [];
      const of = { event, subject, run: round.runs[0]?.run ?? "" };
      return [...ends, ...(await attachedOf(of, words, lane)), ...refusal];
    },
    lost: round.runs.map(({ run, hook }) => lostHook(run, hook)),
  };
}

/** Events after which the model goes on, and reads what was said. */
const listens: ReadonlySet<HookEvent> = new Set<HookEvent>(["Stop", "SubagentStop", "PostCompact", "SessionStart"]);

const inputs: { readonly [E in LoopEvent]: (lane: Lane, subject: string) => Readonly<Record<string, unknown>> } = {
  Stop: ending,
  SubagentStop: ending,
  StopFailure: (lane, subject) => ({
    error: lane.state().failure?.failure.class ?? subject,
    error_details: lane.state().failure?.failure.message ?? "",
    last_assistant_message: lastSaid(lane),
  }),
  PreCompact: (lane, trigger) => ({ trigger, custom_instructions: lane.state().summary.wanted?.focus ?? "" }),
  PostCompact: (_lane, trigger) => ({ trigger }),
  SessionStart: (lane, source) => ({ source, model: lane.state().model?.model ?? "" }),
};

function ending(lane: Lane) {
  return { stop_hook_active: lane.state().hooks.continues > 0, last_assistant_message: lastSaid(lane) };
}

function lastSaid({ state, texts }: Lane): string {
  const piece = state().live.findLast(({ role, block }) => role === "assistant" && block.type === "text");
  return piece?.block.type === "text" ? textOf(piece.block.text, texts) : "";
}
