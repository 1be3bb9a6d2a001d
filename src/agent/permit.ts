import type { CallId } from "../kernel/ids.ts";
import type { EntryBody, EntryOf } from "../log/entry.ts";
import type { Call } from "../log/state.ts";
import {
  type Guarding,
  guardedCall,
  guardingOf,
  inputOf,
  rewrittenEntries,
  toldOfRefusal,
  type Wish,
} from "./call-hooks.ts";
import { callOf, failed, givenUp, returned } from "./calls.ts";
import type { Verdict } from "./config.ts";
import type { Answer, Question } from "./effects.ts";
import { type Round, ran, roundOf, startedEntries } from "./hooks.ts";
import type { Lane } from "./lane.ts";
import { limitsInForce } from "./limits-in-force.ts";
import { type ParsedInput, parse, parsedInput } from "./parsed-input.ts";

type Good = Extract<ParsedInput, { readonly type: "ok" }>;

/**
 * Decides whether a call may run: what its hooks say, the rules and the mode, then the user where one of them asks. A call that cannot
 * run at all is answered here. A hook can refuse anything and have anything asked for; what it allows is what a rule
 * that allows the tool would allow, and no more.
 */
export async function permit(callId: CallId, lane: Lane, signal: AbortSignal): Promise<readonly EntryBody[]> {
  const call = callOf(callId, lane);
  const said = parse(call, lane);
  if (said.type === "bad") return await returned(call, failed(said.why), lane);
  const told = meant(call, said);
  const guarding = passedOn(said, await guardedCall(told.call, told.input, lane, signal));
  if (signal.aborted) return guarding.ended;
  const { parsed, wish, entries } = await rewrittenCall(call, said, guarding, lane);
  const asking: Asking = { call, parsed, entries, lane, signal };
  if (wish?.type === "deny") return await refused(asking, "hook", wish.why);
  const verdict = await judged(call, parsed, wish?.type === "allow" ? "hook" : null, lane);
  if (signal.aborted) return entries;
  const { by = "mode", why } = verdict;
  if (verdict.type === "deny") return await refused(asking, by, why);
  if (verdict.type === "ask") return await putToUser(asking, { by, why });
  if (wish?.type !== "ask") return await allowed(asking, wish === null ? by : "hook", wish?.why ?? why);
  return lane.state().mode === "dontAsk"
    ? await refused(asking, "hook", `${wish.why}; nothing is asked in mode dontAsk`)
    : await putToUser(asking, { by: "hook", why: wish.why });
}

/** What a call is for, where it only passes another one on: hooks and rules go by that. */
function meant(call: Call, { call: { as }, input }: Good): { readonly call: Call; readonly input: unknown } {
  return as === undefined ? { call, input } : { call: { ...call, tool: as.tool }, input: as.input };
}

/** Another input for what is passed on, as the call that passes it on has it. */
function passedOn({ call: { as } }: Good, guarding: Guarding): Guarding {
  const { rewritten } = guarding;
  if (as === undefined || rewritten === null) return guarding;
  return { ...guarding, rewritten: { ...rewritten, input: as.given(rewritten.input) } };
}

type Asking = {
  readonly call: Call;
  readonly parsed: Good;
  /** To be stored with what is decided. */
  readonly entries: readonly EntryBody[];
  readonly lane: Lane;
  readonly signal: AbortSignal;
};

/** Another input is a call of its own: it has to be one that the tool takes, and everything is judged by it. */
async function rewrittenCall(
  call: Call,
  said: Good,
  { ended, wish, rewritten }: Guarding,
  lane: Lane,
): Promise<{ readonly parsed: Good; readonly wish: Wish | null; readonly entries: readonly EntryBody[] }> {
  if (rewritten === null || wish?.type === "deny") return { parsed: said, wish, entries: ended };
  const parsed = parsedInput(call, rewritten.input, lane);
  if (parsed.type === "bad") {
    const why = `a hook (${rewritten.hook.command}) gave it an input that ${call.tool} does not take: ${parsed.why}`;
    return { parsed: said, wish: { type: "deny", why }, entries: ended };
  }
  return { parsed, wish, entries: [...ended, ...(await rewrittenEntries(call, rewritten, lane))] };
}

async function judged(call: Call, parsed: Good, allowedBy: "hook" | null, lane: Lane): Promise<Verdict> {
  const { mode } = lane.state();
  const told = meant(call, parsed);
  return await lane.config.permission({
    mode,
    tool: told.call.tool,
    access: parsed.call.access,
    input: told.input,
    allowedBy,
    limited: limitsInForce(lane.state()),
  });
}

type By = EntryOf<"permission-decided">["by"];

/** Hooks may answer in the user's stead, then the user does. */
async function putToUser(
  asking: Asking,
  { by, why }: { readonly by: By; readonly why: string },
): Promise<readonly EntryBody[]> {
  const { call, lane, signal } = asking;
  // After a restart the question is put again, but it is in the log already, and so is what hooks had to say to it.
  const isNew = call.status.type !== "asked";
  const { tool } = meant(call, asking.parsed).call;
  const request = isNew ? roundOf(lane, "PermissionRequest", tool, call.callId) : null;
  const notice = isNew ? roundOf(lane, "Notification", "permission_prompt", call.callId) : null;
  const intents = [request, notice].flatMap((round) => (round === null ? [] : startedEntries(round)));
  const question: readonly EntryBody[] = isNew ? [{ type: "permission-asked", callId: call.callId, why }] : [];
  const first = [...asking.entries, ...question, ...intents];
  if (first.length > 0) await lane.record(first);
  const over = new AbortController();
  const noticed = notice === null ? null : noticedOf(notice, why, lane, AbortSignal.any([signal, over.signal]));
  // Where nobody can be asked, the notice is all that is heard of it: it runs to its own end.
  const decision = await answeredBy(request, { ...asking, entries: [] }, { by, why, onAnswer: () => over.abort() });
  return [...((await noticed) ?? []), ...decision];
}

async function noticedOf(round: Round, why: string, lane: Lane, signal: AbortSignal): Promise<readonly EntryBody[]> {
  const input = { message: why, title: "Permission needed", notification_type: "permission_prompt" };
  return (await ran(round, input, lane, signal)).ended;
}

/** `onAnswer`: called once somebody said yes or no. */
type Reason = { readonly by: By; readonly why: string; readonly onAnswer: () => void };

async function answeredBy(request: Round | null, asking: Asking, reason: Reason): Promise<readonly EntryBody[]> {
  const { call, parsed: said, lane, signal } = asking;
  if (request === null) return await answeredByUser(asking, reason);
  const of = meant(call, said);
  const told = await ran(request, inputOf(of.call, of.input, lane), lane, signal);
  const guarding = passedOn(said, await guardingOf(told, { ...of, run: request.runs[0]?.run ?? "" }, lane));
  if (signal.aborted) return guarding.ended;
  const { parsed, wish, entries } = await rewrittenCall(call, said, guarding, lane);
  const now: Asking = { ...asking, parsed, entries };
  const verdict: Pick<Verdict, "type" | "why"> & { readonly by?: By } =
    wish?.type === "deny"
      ? { type: "deny", by: "hook", why: wish.why }
      : await judged(call, parsed, wish?.type === "allow" ? "hook" : null, lane);
  const isAllowed = wish?.type === "allow" && verdict.type === "allow";
  if (verdict.type !== "deny" && !isAllowed) return await answeredByUser(now, reason);
  reason.onAnswer();
  if (isAllowed) return await allowed(now, "hook", wish.why);
  return await refused(now, verdict.by ?? "mode", verdict.why);
}

async function answeredByUser(asking: Asking, { by, why, onAnswer }: Reason): Promise<readonly EntryBody[]> {
  const { call, parsed, lane, signal, entries } = asking;
  const { access, title } = parsed.call;
  const question = { callId: call.callId, tool: meant(call, parsed).call.tool, title, why };
  const answer = await Promise.race([asked(question, lane, signal), givenUp(lane, signal)]);
  if (signal.aborted) return entries;
  if (answer !== null) onAnswer();
  // It took the rights from itself; without anybody to ask it goes back to what the user had granted, and no further.
  if (answer === null && access.type === "leave-plan" && lane.state().planBy === "model" && by !== "hook")
    return [
      ...entries,
      decided(call, true, "mode", "nobody can be asked here, and planning was the model's own choice"),
    ];
  if (answer === null) return await refused(asking, by, `${why}, and nobody can be asked here`);
  return answer.allowed ? await allowed(asking, "user", answer.why) : await refused(asking, "user", answer.why);
}

/** A callback of whoever embeds us: when it throws, the answer is no. */
async function asked(question: Question, lane: Lane, signal: AbortSignal): Promise<Answer | null> {
  try {
    return await lane.fx.ask(question, signal);
  } catch (error) {
    return { allowed: false, why: `asking failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function allowed({ call, parsed, entries }: Asking, by: By, why: string): Promise<readonly EntryBody[]> {
  await parsed.call.onAllowed?.();
  return [...entries, decided(call, true, by, why)];
}

async function refused(
  { call, parsed, entries, lane, signal }: Asking,
  by: By,
  why: string,
): Promise<readonly EntryBody[]> {
  const all = [...entries, decided(call, false, by, why)];
  return await toldOfRefusal({ ...meant(call, parsed), entries: all, why }, lane, signal);
}

function decided({ callId }: Call, allowed: boolean, by: By, why: string): EntryBody {
  return { type: "permission-decided", callId, allowed, by, why };
}
