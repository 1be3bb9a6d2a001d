import { growing } from "../kernel/growing.ts";
import type { CallId } from "../kernel/ids.ts";
import type { Piece } from "../log/block.ts";
import { reminderText } from "./context.ts";

/**
 * Makes any list of pieces legal for a provider (law 4): every call is answered right behind its message, results stand
 * first there and in call order, orphans and repeated calls and results are left out. A well-formed list comes back as it is, by
 * reference. What is put in depends on nothing behind the damage, so the same history heals to the same bytes each time
 * (CASES C-019, C-027).
 */
export function heal(pieces: readonly Piece[]): readonly Piece[] {
  // First of all, so that a message that was nothing but a repeated call leaves no round of its own.
  const healed = healedRounds(withoutRepeatedCalls(pieces, undefined), undefined);
  return sameList(healed, pieces) ? pieces : healed;
}

const withoutRepeatedCalls = growing<Piece, Piece, undefined, Set<CallId>>({
  start: () => new Set(),
  make: (part, seen) => part.filter((piece) => !isRepeatedCall(piece, seen)),
});

const healedRounds = growing<Piece, Piece, undefined, undefined>({
  start: () => undefined,
  // Behind the user's side an answer begins a round, whatever stands in front of it.
  isCut: (pieces, at) => pieces[at]?.role === "assistant" && pieces[at - 1]?.role !== "assistant",
  make: (part) => roundsOf(part).flatMap(healRound),
});

/** An assistant message and the user-side pieces behind it; the first round may lack the former. */
type Round = { readonly assistant: readonly Piece[]; readonly user: readonly Piece[] };

function roundsOf(pieces: readonly Piece[]): readonly Round[] {
  const rounds: { assistant: Piece[]; user: Piece[] }[] = [{ assistant: [], user: [] }];
  for (const piece of pieces) {
    let round = rounds.at(-1);
    const isUnanswered =
      piece.role === "user" && piece.block.type !== "tool-result" && round?.user.at(-1)?.role === "system";
    if (round === undefined || isUnanswered || (piece.role === "assistant" && startsRound(piece, round))) {
      round = { assistant: isUnanswered ? [noAnswer(piece)] : [], user: [] };
      rounds.push(round);
    }
    (piece.role === "assistant" ? round.assistant : round.user).push(piece);
  }
  return rounds;
}

/**
 * Behind a system text only an answer may follow (PROTOCOLS A.6). Where none came (the user stopped it and said more), these
 * words stand for it: what was sent stays where it is.
 */
function noAnswer({ id }: Piece): Piece {
  return { id: `${id}.gap`, role: "assistant", from: "anthropic", block: { type: "text", text: "(no answer)" } };
}

/** Behind user-side pieces, or behind the calls of another message: those are answered before anything else is said. */
function startsRound(piece: Piece, { assistant, user }: Round): boolean {
  if (user.length > 0) return true;
  return assistant.some((one) => one.block.type === "tool-call" && entryOf(one) !== entryOf(piece));
}

function entryOf({ id }: Piece): string {
  return id.slice(0, id.lastIndexOf("."));
}

function healRound(round: Round): readonly Piece[] {
  const calls = round.assistant.flatMap((piece) =>
    piece.role === "assistant" && piece.block.type === "tool-call" ? [{ id: piece.id, ...piece.block }] : [],
  );
  const results = calls.map((call) => round.user.find((piece) => isResultOf(piece, call.callId)) ?? lostResult(call));
  const rest = round.user
    .filter((piece) => piece.role !== "user" || piece.block.type !== "tool-result")
    .map((piece, at) => (at === 0 && results.length === 0 && piece.role === "system" ? onUserSide(piece) : piece));
  const images = rest.filter((piece) => piece.role === "user" && piece.kind === "image");
  return [...round.assistant, ...results, ...images, ...rest.filter((piece) => !images.includes(piece))];
}

/** Right behind an answer no system text may stand: damage took the user's words that stood between. */
function onUserSide(piece: Piece & { readonly role: "system" }): Piece {
  const { id, block } = piece;
  const text = typeof block.text === "string" ? reminderText(block.text) : block.text;
  return { id, role: "user", kind: "reminder", block: { type: "text", text } };
}

/** A line that stands twice in a damaged log: an id stands for one call. */
function isRepeatedCall({ block }: Piece, seen: Set<CallId>): boolean {
  if (block.type !== "tool-call") return false;
  if (seen.has(block.callId)) return true;
  seen.add(block.callId);
  return false;
}

function isResultOf(piece: Piece, callId: CallId): boolean {
  return piece.role === "user" && piece.block.type === "tool-result" && piece.block.callId === callId;
}

function lostResult(call: { readonly id: string; readonly callId: CallId; readonly tool: string }): Piece {
  const { callId, tool } = call;
  const text = "Interrupted: no result of this call is known.";
  return {
    id: `${call.id}.lost`,
    role: "user",
    kind: "result",
    block: { type: "tool-result", callId, tool, text, isError: true },
  };
}

function sameList(a: readonly Piece[], b: readonly Piece[]): boolean {
  return a.length === b.length && a.every((piece, index) => piece === b[index]);
}
