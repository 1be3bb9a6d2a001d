import type { Segment } from "../prompt/segment.ts";
import { droppedIds } from "./dropped-ids.ts";
import { type Fold, blockTokens as tokensOfBlock } from "./fold.ts";
import { isRequest } from "./fold-kept.ts";
import { type Memo, tokensIn } from "./memo.ts";

export type Portion = {
  readonly tokens: number;
  readonly messages: number;
  readonly calls: number;
  readonly results: number;
  /** Calls and their results, largest first. */
  readonly byTool: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[];
};

export type FoldPreview = {
  readonly goes: Portion;
  readonly stays: Portion;
  /** Of what stands for the work. */
  readonly blockTokens: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
};

/** What a fold would do, before it is done (M-06). */
export function previewOf(fold: Fold, segments: readonly Segment[], memo: Memo): FoldPreview {
  const gone = droppedIds(fold.type === "nothing" ? [] : fold.drops);
  const goes = portionOf(
    segments.filter(({ id }) => gone.has(id)),
    memo,
  );
  const stays = portionOf(
    segments.filter(({ id }) => !gone.has(id)),
    memo,
  );
  const blockTokens = fold.type === "nothing" ? 0 : tokensOfBlock(fold.block);
  return {
    goes,
    stays,
    blockTokens,
    tokensBefore: goes.tokens + stays.tokens,
    tokensAfter: stays.tokens + blockTokens,
  };
}

function portionOf(segments: readonly Segment[], memo: Memo): Portion {
  const ofKind = (kind: Segment["kind"]) => segments.filter((segment) => segment.kind === kind);
  const worked = segments.filter(({ kind }) => kind === "tool-call" || kind === "tool-result");
  const byTool = [...Map.groupBy(worked, ({ tool }) => tool ?? "a tool")].map(([tool, list]) => ({
    tool,
    calls: list.filter(({ kind }) => kind === "tool-call").length,
    tokens: tokensIn(list, memo),
  }));
  return {
    tokens: tokensIn(segments, memo),
    messages: segments.filter((segment) => isRequest(segment, memo)).length,
    calls: ofKind("tool-call").length,
    results: ofKind("tool-result").length,
    byTool: byTool.toSorted((a, b) => b.tokens - a.tokens),
  };
}
