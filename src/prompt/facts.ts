import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { madeOnce } from "../kernel/once.ts";
import type { Piece } from "../log/block.ts";
import type { Fact } from "../log/facts.ts";
import { inert, reminderText } from "./context.ts";

/** The block that says facts, each by its own words. `retired`: those whose words still stand elsewhere in the prompt. */
export function factsText(facts: readonly Fact[], retired: readonly Fact[] = []): string {
  const lines = [
    ...(facts.length === 0 ? [] : [inForce, ...facts.map(factLine)]),
    ...(retired.length === 0 ? [] : [noLonger, ...retired.map(factLine)]),
  ];
  return reminderText(lines.join("\n"));
}

/** Word that these are no longer in force. */
export function retiredText(facts: readonly Fact[]): string {
  return factsText([], facts);
}

const inForce = "Facts the user wants kept, in force until the user retires them:";
const noLonger = "Retired by the user, no longer in force:";

function factLine({ text }: Fact): string {
  return `- ${inert(wordsOf(text))}`;
}

/** As it can be sent: a lone surrogate in a damaged log must not make a fact one that is never visible. */
function wordsOf(text: string): string {
  return text.toWellFormed();
}

/**
 * Facts that the next request would not show, or only far from its end (law 6). What shows them is the user's own message
 * or a block of facts, never a result or a reminder that happens to quote them. `pieces` are those of the request, `isNew`
 * tells those that no request had: what is said there cannot be said later, however long the message behind it is.
 */
export function factsUnseen(
  facts: readonly Fact[],
  pieces: readonly Piece[],
  isNew: (piece: Piece) => boolean,
): readonly Fact[] {
  const due = new Set<Fact>();
  let missing = facts;
  let tokens = 0;
  for (const piece of pieces.toReversed()) {
    if (missing.length === 0 || (tokens > bounds.factDistanceTokensMax && !isNew(piece))) break;
    const found = new Map(missing.map((fact) => [fact, saidIn(piece, fact)]));
    for (const [fact, how] of found) if (how === "retired") due.add(fact);
    missing = missing.filter((fact) => found.get(fact) === "nothing");
    tokens += tokensOf(piece);
  }
  const left = new Set([...missing, ...due]);
  return facts.filter((fact) => left.has(fact));
}

/** Of these facts, those whose words stand in a message or a fold: there they would still read as if in force. */
export function stillSaid(facts: readonly Fact[], texts: readonly string[]): readonly Fact[] {
  return facts.filter(({ text }) => texts.some((said) => said.includes(wordsOf(text))));
}

/** What a piece says of a fact. Pinned again after it was retired, it has to be said again. */
function saidIn(piece: Piece, fact: Fact): "shown" | "retired" | "nothing" {
  if (piece.role !== "user" || piece.block.type !== "text" || typeof piece.block.text !== "string") return "nothing";
  const { text } = piece.block;
  if (piece.kind === "message" && fact.from === "message")
    return text.includes(wordsOf(fact.text)) ? "shown" : "nothing";
  if (piece.kind !== "facts") return "nothing";
  const line = `\n${factLine(fact)}\n`;
  const end = text.lastIndexOf(`\n${noLonger}\n`);
  if (end !== -1 && text.includes(line, end)) return "retired";
  return text.includes(line) ? "shown" : "nothing";
}

/** Resolved pieces are kept by identity, so each is measured once. */
const sizes = madeOnce<Piece, number>();

function tokensOf(piece: Piece): number {
  const texts = () => Object.values(piece.block).filter((value) => typeof value === "string");
  return sizes(piece, () => Math.max(0, ...texts().map(estimate)));
}
