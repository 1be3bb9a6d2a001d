import { estimate } from "../budget/count.ts";
import type { Segment } from "../prompt/segment.ts";
import { droppedIds } from "./dropped-ids.ts";
import type { Memo } from "./memo.ts";
import { type Plan, partsOf } from "./plan-parts.ts";
import { settledPointers } from "./pointers.ts";

/** A plan with what its break has to write out, saved tokens net of that; null: what it clears would save nothing. */
export function settledPlan(planned: Plan, segments: readonly Segment[], memo: Memo): Plan | null {
  if (planned.type !== "break") return planned;
  const written = settledPointers(segments, memo, textAfter(planned));
  if (written.length === 0) return planned;
  if (planned.reason !== "cleared") return { ...planned, written };
  const tokens = new Map(segments.map((segment) => [segment.id, memo.tokensOf(segment)]));
  const added = written.map(({ segment, text }) => Math.max(0, estimate(text) - (tokens.get(segment) ?? 0)));
  const savedTokens = planned.numbers.savedTokens - added.reduce((sum, one) => sum + one, 0);
  return savedTokens <= 0 ? null : { ...planned, written, numbers: { ...planned.numbers, savedTokens } };
}

/** A segment's text behind that break; null: it goes. */
function textAfter(planned: Extract<Plan, { readonly type: "break" }>): (segment: Segment) => string | null {
  const { stubs = [], clips = [], drops = [] } = partsOf(planned);
  const gone = droppedIds(drops);
  const texts = new Map([...stubs, ...clips].map(({ segment, text }) => [segment, text]));
  return ({ id, text }) => (gone.has(id) ? null : (texts.get(id) ?? text));
}
