import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Piece } from "../log/block.ts";
import type { State } from "../log/state.ts";
import { type RollingLine, rollingAsk } from "../memory/rolling-ask.ts";
import type { Doc } from "../prompt/doc.ts";
import { type ReadBlock, readBlock } from "../reduction/fold-block.ts";
import { short } from "../reduction/fold-cut.ts";
import { callStart } from "../reduction/fold-text.ts";
import type { Lane } from "./lane.ts";
import { pieceSegments } from "./piece-segments.ts";
import { windowSizeNow } from "./window-size.ts";

/** What is to be summed up, and how large the summary may be. */
export type RollingWork = {
  readonly former: string;
  readonly rounds: readonly RollingLine[];
  /** The newest piece of it. */
  readonly upto: string;
  readonly tokensMax: number;
  /** Of what it is made of. */
  readonly tokens: number;
};

/** The rounds behind the newest summary, but the one that is being answered; null: there are none. */
export function rollingWork(lane: Lane): RollingWork | null {
  const state = lane.state();
  const prompt = lane.prompt();
  const { summaryTokens } = windowSizeNow(prompt, lane);
  const from = state.turn?.fromSeq ?? Number.POSITIVE_INFINITY;
  const finished = prompt.doc.pieces.filter((piece) => Number.parseInt(piece.id, 10) < from && isRound(piece));
  const upto = finished.at(-1)?.id;
  if (upto === undefined) return null;
  const blocks = prompt.doc.pieces.filter(isBlock).map(textOf).map(readBlock);
  const former = formerText(blocks, state, lane);
  const room = Math.min(bounds.rollingAskTokensMax, Math.floor(prompt.forecast.usableTokens / askShare));
  const lines = [...blocks.flatMap((block) => block.lines.flatMap(blockLine)), ...linesOf(finished)];
  const rounds = newest(lines, room - estimate(former));
  const tokens = estimate(former) + rounds.reduce((sum, { text }) => sum + estimate(text), 0);
  return rounds.length === 0 ? null : { former, rounds, upto, tokensMax: summaryTokens, tokens };
}

/** Of what is usable: our count may be too low, and the answer wants room. */
const askShare = 2;

function isRound(piece: Piece): boolean {
  if (piece.role === "system") return false;
  return piece.role === "assistant" || piece.kind === "message" || piece.kind === "result";
}

function isBlock(piece: Piece): boolean {
  return piece.role === "user" && piece.kind === "fold";
}

/** The newest summary; before there was one, what a compaction left. */
function formerText(blocks: readonly ReadBlock[], { rolling }: State, { texts }: Lane): string {
  const { made } = rolling;
  const newest = made === null ? null : typeof made.text === "string" ? made.text : (texts.get(made.text.blob) ?? null);
  return newest ?? blocks.flatMap(({ summary }) => summary ?? []).join("\n\n");
}

/** A line of the block as it was said; of a call without how it ended, which quotes what came back. */
function blockLine(line: string): readonly RollingLine[] {
  const [, said, text = ""] = /^(User|Said): (.*)$/.exec(line) ?? [];
  if (said !== undefined) return [{ by: said === "User" ? "user" : "assistant", text }];
  const call = /^- (.*?): /.exec(line)?.[1];
  return call === undefined ? [] : [{ by: "did", text: call }];
}

function linesOf(finished: readonly Piece[]): readonly RollingLine[] {
  const segments = pieceSegments(finished);
  return finished.flatMap((piece, at): readonly RollingLine[] => {
    const { block } = piece;
    if (block.type === "tool-call") {
      const call = segments[at];
      return call === undefined ? [] : [{ by: "did", text: callStart(call).replace(/^- |: $/g, "") }];
    }
    const text = textOf(piece);
    if (block.type !== "text" || text.trim() === "") return [];
    if (piece.role === "assistant") return [{ by: "assistant", text: short(text, saidCharsMax) }];
    return piece.role === "user" && piece.kind === "message" ? [{ by: "user", text: cut(text) }] : [];
  });
}

const saidCharsMax = 1_200;
const messageCharsMax = 4_000;

function cut(text: string): string {
  return text.length <= messageCharsMax ? text : `${text.slice(0, messageCharsMax).toWellFormed()} …`;
}

function textOf({ block }: Piece): string {
  return block.type === "text" && typeof block.text === "string" ? block.text : "";
}

/** As many of the newest as fit. */
function newest(lines: readonly RollingLine[], room: number): readonly RollingLine[] {
  let left = room;
  const misfit = lines.findLastIndex(({ text }) => {
    left -= estimate(text) + 4;
    return left < 0;
  });
  return lines.slice(misfit + 1);
}

/** Less is asked for than the cap allows: models count otherwise than we do, and what is larger is refused. */
export function askOf({ former, rounds, tokensMax }: RollingWork, strict: boolean): string {
  const asked = Math.floor(tokensMax * (strict ? strictShare : askedShare));
  return rollingAsk({ former, rounds, tokensMax: asked, strict });
}

const askedShare = 0.85;
const strictShare = 0.6;

/** The request, here and where a log is rendered again: nothing of the lane is in it but its model. */
export function rollingDoc(doc: Doc, text: string): Doc {
  const piece: Piece = { id: "rolling.0", role: "user", kind: "message", block: { type: "text", text } };
  const model = { ...doc.model, thinking: "off" } as const;
  return { model, tools: [], system: [], pieces: [piece], cacheKey: doc.cacheKey };
}
