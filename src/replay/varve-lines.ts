import type { ShownResult } from "../digest/carriers.ts";
import type { Pointing } from "../digest/pointers.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import type { PieceKind } from "../log/block.ts";
import type { Segment, SegmentKind } from "../prompt/segment.ts";
import type { FoldBlock } from "../reduction/fold.ts";
import type { Memo } from "../reduction/memo.ts";
import type { Written } from "../reduction/plan-parts.ts";
import type { Block } from "./recording.ts";
import { namedIn } from "./shown.ts";
import type { Shown, Terms } from "./strategy.ts";

/** One piece of the prompt: as the reductions see it, and as the model gets it. */
export type Line = {
  /** Its id is the place where the line stands, given when the reductions look at it. */
  readonly segment: Segment;
  readonly shown: Shown;
  readonly kind: PieceKind | null;
  /** Of a result: what it was before any form. */
  readonly original: { readonly handle: Handle; readonly callId: string } | null;
  readonly pointers?: Pointing;
};

/** A block as `text`, which may be a form of it. `source`: of what was recalled, the original it is from. */
export function lineOf(block: Block, text: string, terms: Terms, source: Handle | null = null): Line {
  const { callId, role } = block;
  const isResult = block.kind === "tool-result" || block.kind === "recalled";
  const handle = isResult ? (source ?? handleOf(hashOf(block.text))) : null;
  const kind = segmentKinds[block.kind];
  // What was recalled stands beside the result it was taken from, and is not that result.
  const [segmentCall, tool] = block.kind === "recalled" ? [`recalled-${block.id}`, "recall"] : [callId, block.tool];
  return {
    segment: {
      id: 0,
      kind,
      role,
      ...(segmentCall === null ? {} : { callId: segmentCall, tool: tool ?? "tool" }),
      ...sized(kind, text),
      textSpans: [],
    },
    shown: {
      role,
      kind: block.kind,
      callId,
      text,
      tokens: terms.tokensOf(text),
      handles: [...handlesIn(text, handle, callId), ...namedIn(block)],
    },
    kind: role === "assistant" ? null : pieceKinds[block.kind],
    original: handle === null || callId === null ? null : { handle, callId },
  };
}

/** A line with a shorter form. */
export function clippedLine(line: Line, text: string, terms: Terms): Line {
  const { segment, shown, original } = line;
  const own = handlesIn(text, original?.handle ?? null, original?.callId ?? null);
  const others = shown.handles.filter(({ handle }) => handle !== original?.handle && text.includes(handle));
  const { pointers: _, ...plain } = line;
  return {
    ...plain,
    segment: { ...segment, ...sized(segment.kind, text) },
    shown: { ...shown, text, tokens: terms.tokensOf(text), handles: [...own, ...others] },
  };
}

/** A line whose pointers were settled, or found. */
export function pointedLine(line: Line, { text, pointers }: Pick<Written, "text" | "pointers">, terms: Terms): Line {
  const made = clippedLine(line, text, terms);
  return pointers === null ? made : { ...made, pointers };
}

/** The results that stand there, as carriers of lines. */
export function shownResults(lines: readonly Line[]): readonly ShownResult[] {
  const inputs = new Map(
    lines.flatMap(({ segment }) => (segment.kind === "tool-call" ? [[segment.callId, segment.text ?? ""]] : [])),
  );
  return lines.flatMap((line): readonly ShownResult[] => {
    const { callId, tool = "", text, kind } = line.segment;
    if (kind !== "tool-result" || line.original === null || text === null) return [];
    const { handle } = line.original;
    const isPointed = line.pointers !== undefined;
    const input = () => inputs.get(callId) ?? "";
    return [{ name: callId ?? "", tool, input, handle: () => handle, text, isPointed }];
  });
}

export function foldLine({ text }: FoldBlock, handles: Shown["handles"], terms: Terms): Line {
  return {
    segment: { id: 0, kind: "text", role: "user", ...sized("text", text), textSpans: [] },
    shown: { role: "user", kind: "fold", callId: null, text, tokens: terms.tokensOf(text), handles },
    kind: "fold",
    original: null,
  };
}

export function segmentsOf(lines: readonly Line[]): readonly Segment[] {
  return lines.map(({ segment }, id) => ({ ...segment, id }));
}

/** What is known of these lines beside their bytes, as the agent knows it of its pieces. */
export function memoOf(lines: readonly Line[], tokensOf: Memo["tokensOf"], isUnsent: (line: Line) => boolean): Memo {
  const handles = new Map(
    lines.flatMap(({ segment, original }) => (original === null ? [] : [[segment.callId, original.handle]])),
  );
  return {
    kindOf: ({ id }) => lines[id]?.kind ?? null,
    handleOf: (callId) => handles.get(callId) ?? null,
    tokensOf,
    isUnsent: (id) => {
      const line = lines[id];
      return line !== undefined && isUnsent(line);
    },
    pointersOf: ({ id }) => lines[id]?.pointers ?? null,
    nameOf: ({ callId }) => callId ?? "",
  };
}

/** `summary`: it stands for finished work, as a fold does. */
const pieceKinds: Readonly<Record<Block["kind"], PieceKind | null>> = {
  text: "message",
  summary: "fold",
  reasoning: null,
  "tool-call": null,
  "tool-result": "result",
  recalled: "result",
};

const segmentKinds: Readonly<Record<Block["kind"], SegmentKind>> = {
  text: "text",
  summary: "text",
  reasoning: "reasoning",
  "tool-call": "tool-call",
  "tool-result": "tool-result",
  recalled: "tool-result",
};

function sized(kind: SegmentKind, text: string): Pick<Segment, "hash" | "text" | "span"> {
  return { hash: hashOf(`${kind}\n${text}`), text, span: [0, text.length] };
}

function handlesIn(text: string, handle: Handle | null, callId: string | null): Shown["handles"] {
  return handle !== null && callId !== null && text.includes(handle) ? [{ handle, callIds: [callId] }] : [];
}
