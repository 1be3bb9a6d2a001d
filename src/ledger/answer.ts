import { answerMarkTokens, isBelievable } from "../budget/learn.ts";
import type { NotedSegment, Seen } from "./lane.ts";
import { scaled, sumOf } from "./noted.ts";
import { reasoningOf } from "./rules.ts";

type Part = Pick<NotedSegment, "role" | "kind" | "tokens" | "markTokens">;

/**
 * The parts at the start of a grown prompt that are the answer to the request before, and have the tokens it was reported
 * to have. None where the report cannot be of this answer: then they are counted as any other text is.
 */
export function answerOf<P extends Part>(previous: Seen, grown: readonly P[]): readonly P[] {
  const answer = answerIn(grown);
  return isBelieved(previous, answer) ? answer : [];
}

/** Once a lane's outputs were found to be what a stream says at its start, later ones are held to more than their text. */
export function outputsAfter(previous: Seen, grown: readonly Part[]): Seen["outputs"] {
  return isBelieved(previous, answerIn(grown)) ? previous.outputs : "doubted";
}

function answerIn<P extends Part>(grown: readonly P[]): readonly P[] {
  const end = grown.findIndex(({ role }) => role !== "assistant");
  return end < 0 ? grown : grown.slice(0, end);
}

function isBelieved({ usage, outputs }: Seen, answer: readonly Part[]): boolean {
  if (usage === null) return false;
  // The closed form of reasoning says little of its tokens.
  const told = answer.filter((part) => !isReasoning(part));
  const marks = told.reduce((sum, { markTokens = 0 }) => sum + markTokens, 0);
  return isBelievable(
    usage,
    outputs === "doubted" ? { of: "all", tokens: sumOf(told) } : { of: "text", tokens: sumOf(told) - marks },
  );
}

/** What was reported of the answer and is in the next prompt. */
export function carriedAnswerTokens(previous: Seen, answer: readonly Part[]): number {
  if (previous.usage === null || answer.length === 0) return 0;
  const { output, reasoning } = previous.usage;
  return sendsReasoning(previous, answer) ? output : output - reasoning;
}

/** The marks of the answer's messages, or items, which are no part of its output. */
export function answerMarks({ wire }: Seen, answer: readonly Part[]): number {
  const messages = wire === "responses" ? answer.length : Math.min(1, answer.length);
  return messages * answerMarkTokens;
}

/** Tokens of reasoning that was shown until now and is not any more, since what was added begins a new turn. */
export function leftOutTokens(previous: Seen, grown: readonly Part[]): number {
  const answer = answerOf(previous, grown);
  if (!leavesReasoningOut(previous, grown)) return 0;
  return sumOf(shownReasoning(previous)) + sumOf(measuredAnswer(previous, answer).filter(isReasoning));
}

/** Whether of what was sent before, something is not shown any more: a prefix that changed, though our bytes did not. */
export function hidesReasoning(previous: Seen, grown: readonly Part[]): boolean {
  return leavesReasoningOut(previous, grown) && shownReasoning(previous).length > 0;
}

/** What was sent before and the answer, with the tokens each has in the prompt that goes on with `grown`. */
export function asShown<P extends NotedSegment>(previous: Seen, grown: readonly P[]): readonly NotedSegment[] {
  const measured = measuredAnswer(previous, answerOf(previous, grown));
  if (!leavesReasoningOut(previous, grown)) return [...previous.segments, ...measured];
  const from = turnStart(previous);
  const hidden = (segment: NotedSegment): NotedSegment => (isReasoning(segment) ? { ...segment, tokens: 0 } : segment);
  return [...previous.segments.slice(0, from), ...[...previous.segments.slice(from), ...measured].map(hidden)];
}

/** Each part by its share of what was reported; reasoning apart where it was reported apart. */
function measuredAnswer<P extends Part>(previous: Seen, answer: readonly P[]): readonly P[] {
  const { output, reasoning } = previous.usage ?? { output: 0, reasoning: 0 };
  const thought = sumOf(answer.filter(isReasoning));
  if (!sendsReasoning(previous, answer)) return scaled(answer, output - reasoning);
  if (thought === 0 || reasoning === 0 || reasoning >= output) return scaled(answer, output);
  const rest = sumOf(answer) - thought;
  const rate = (part: P) => (isReasoning(part) ? reasoning / thought : (output - reasoning) / Math.max(1, rest));
  return answer.map((part) => ({ ...part, tokens: part.tokens * rate(part) }));
}

/** Reasoning is in the next prompt if it was sent back; it may hide in other parts, but on Chat it is one of its own. */
function sendsReasoning({ wire, model }: Seen, answer: readonly Part[]): boolean {
  return answer.some(isReasoning) || (wire !== "chat" && reasoningOf(wire, model) === "kept");
}

/**
 * Older models read the reasoning of the newest turn alone: it is there until a message of the user begins another
 * (PROTOCOLS A.3, B.3). A message that comes with results begins none on Anthropic's wire.
 */
function leavesReasoningOut({ wire, model }: Seen, grown: readonly Part[]): boolean {
  if (reasoningOf(wire, model) === "kept" || !grown.some(isUserText)) return false;
  return wire === "responses" || !grown.some(({ kind }) => kind === "tool-result");
}

function shownReasoning(previous: Seen): readonly NotedSegment[] {
  return previous.segments.slice(turnStart(previous)).filter(isReasoning);
}

function turnStart({ segments }: Seen): number {
  return segments.findLastIndex(isUserText) + 1;
}

function isUserText({ role, kind }: Part): boolean {
  return role === "user" && kind === "text";
}

function isReasoning({ kind }: Part): boolean {
  return kind === "reasoning";
}
