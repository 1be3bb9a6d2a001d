import { hashOf } from "../../kernel/hash.ts";
import { brainRequestOf } from "./brain-request.ts";
import type { CacheUse } from "./cache.ts";
import { compactionAskOf } from "./compaction-ask.ts";
import { compactionPass, type Pass } from "./compaction-pass.ts";
import type { Core } from "./core.ts";
import { diagnosisFor } from "./diagnose.ts";
import { type Examined, examine } from "./examine.ts";
import type { FaultEffect } from "./faults.ts";
import type { Sight } from "./miss.ts";
import type { Outcome, StreamForm } from "./outcome.ts";
import type { SimRecord } from "./records.ts";
import { errorFor, refuse } from "./refuse.ts";
import { askBrain, delivered, makeAnswer } from "./respond.ts";
import type { SimModel } from "./sim-model.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request that broke no rule and fits. */
export type Accepted = {
  readonly record: SimRecord;
  readonly body: Body;
  readonly model: SimModel;
  readonly stream: StreamForm;
  readonly isWindow: boolean;
  readonly examined: Examined;
  readonly effect: FaultEffect | null;
  readonly requestId: string;
};
type Seen = { readonly examined: Examined; readonly sight: Sight };

/** The cache is used, the service sums up where it is to, and the model answers what is left. */
export async function answer(core: Core, accepted: Accepted): Promise<Outcome> {
  const { record, body, model, stream, examined, effect, requestId, isWindow } = accepted;
  const { wire, n } = record;
  const { lanes, memory } = core;
  const { sight, miss } = lanes.observe(n, examined, model, record.lane, record.at);
  const { dropped } = examined;
  const missed = { missCause: miss?.cause ?? null, missTokens: miss?.tokens ?? 0, dropped };
  const { promptTokens, windowTokens } = record;
  const ask = compactionAskOf(wire, body, { isWindow, promptTokens, windowTokens });
  const pass = await compactionPass(core, ask, { body, model, examined, use: sight.use });
  const first: Seen = { examined, sight };
  const last = pass.type === "made" && pass.view !== null ? seenAgain(core, accepted, pass.view) : first;
  const seen = { ...record, ...missed, ...summed(last === first ? [first] : [first, last]) };
  const reply = await replyTo(core, accepted, pass, last);
  if ("status" in reply) {
    lanes.abandon(n);
    return refuse(core, seen, errorFor(wire, reply, requestId));
  }
  const { use } = last.sight;
  const made = makeAnswer(
    reply,
    {
      ...{ n, seed: hashOf(`${n} ${record.at} ${record.body}`), body, model, stream, dropped, isWindow, use },
      ...{ promptTokens: last.examined.promptTokens, prefix: last.examined.prefix, applied: examined.applied },
      diagnostics: diagnosisFor(wire, body, sight, lanes.sightOf),
      ...(pass.type === "made" ? { compacted: pass.compacted } : {}),
    },
    effect,
  );
  memory.keepReasoning(made.callIds, made.reasoning);
  memory.keepBlocks(made.blocks);
  if (made.turn !== undefined) memory.keepTurn(made.turn.id, made.turn.form);
  lanes.named(made.id, last.sight);
  core.records.finish({ ...seen, outputTokens: made.outputTokens, messageId: made.id, status: 200 });
  return delivered(n, made, { wire, stream, effect, requestId, lateMs: reply.lateMs ?? 0 });
}

/** The request as it stands behind the summary: another prompt, which reads the cache for itself. */
function seenAgain(core: Core, { record, model }: Accepted, view: Body): Seen {
  core.lanes.begin(record.n);
  const examined = examine(JSON.stringify(view), view, model, core.binding);
  const { sight } = core.lanes.observe(record.n, examined, model, record.lane, record.at);
  return { examined, sight };
}

/** What the answer says behind a summary, or in its place; an error where there is none. */
async function replyTo(core: Core, { model, isWindow }: Accepted, pass: Pass, { examined }: Seen) {
  if (pass.type === "failed") return pass.error;
  if (pass.type === "stopped")
    return isWindow ? { status: 500, message: "The conversation could not be compacted." } : pass.reply;
  if (pass.type === "made" && !pass.compacted.goesOn) return {};
  const reply = await askBrain(core.brain, brainRequestOf(model, examined.body, core.served));
  core.served += 1;
  return typeof reply === "string" ? { status: 500, message: reply } : reply;
}

/** All passes of a request together, as they are billed. */
function summed(passes: readonly Seen[]): Pick<SimRecord, "promptTokens"> & Omit<CacheUse, "left"> {
  const sum = (of: (seen: Seen) => number) => passes.reduce((total, seen) => total + of(seen), 0);
  return {
    promptTokens: sum(({ examined }) => examined.promptTokens),
    readTokens: sum(({ sight }) => sight.use.readTokens),
    write5mTokens: sum(({ sight }) => sight.use.write5mTokens),
    write1hTokens: sum(({ sight }) => sight.use.write1hTokens),
    writeOtherTokens: sum(({ sight }) => sight.use.writeOtherTokens),
    write12hTokens: sum(({ sight }) => sight.use.write12hTokens),
  };
}
