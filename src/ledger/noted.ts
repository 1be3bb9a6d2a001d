import type { NotedSegment } from "./lane.ts";

type Sized = Pick<NotedSegment, "tokens">;

export function sumOf(segments: readonly Sized[]): number {
  let sum = 0;
  for (const { tokens } of segments) sum += tokens;
  return sum;
}

/** Equal parts where nothing was counted, so that no reported token is lost. */
export function scaled<S extends Sized>(segments: readonly S[], total: number): readonly S[] {
  const sum = sumOf(segments);
  return segments.map((segment) => ({
    ...segment,
    tokens: sum === 0 ? total / segments.length : (segment.tokens * total) / sum,
  }));
}
