import type { Piece } from "../log/block.ts";

/**
 * Of a foreign client's messages between two answers the results come first, whatever it put between them: providers take
 * them no other way (CASES C-027). All else keeps its order.
 */
export function resultsFirst(pieces: readonly Piece[]): readonly Piece[] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run?.at(-1)?.role === "user" && piece.role === "user") run.push(piece);
    else runs.push([piece]);
  }
  return runs.flatMap((run) => [...run.filter(isResult), ...run.filter((piece) => !isResult(piece))]);
}

function isResult({ block }: Piece): boolean {
  return block.type === "tool-result";
}
