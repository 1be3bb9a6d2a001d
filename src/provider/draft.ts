import { hashOf } from "../kernel/hash.ts";
import { type JsonNode, type Span, stringAt } from "../kernel/json-spans.ts";
import type { Segment, SegmentKind } from "../prompt/segment.ts";

/** A segment before it knows its place in the list. */
export type Draft = Omit<Segment, "id">;

export type DraftParts = {
  readonly kind: SegmentKind;
  readonly role: Segment["role"];
  readonly span: Span;
  /** The block's JSON as the hash takes it: compact, without markers, shorthands written out. */
  readonly json: string;
  readonly text?: string | null;
  readonly textSpans?: readonly Span[];
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
};

export function draftOf(parts: DraftParts): Draft {
  const { kind, role, span, json, callId, tool } = parts;
  return {
    kind,
    role,
    ...(callId === undefined ? {} : { callId }),
    ...(tool === undefined ? {} : { tool }),
    hash: hashOf(`${role}\n${kind}\n${json}`),
    text: parts.text ?? null,
    span,
    textSpans: parts.textSpans ?? [],
  };
}

/** Gives each its index as id, and each result the name of the tool that was called: results do not carry it. */
export function numbered(drafts: readonly Draft[]): readonly Segment[] {
  const segmentOf = numbering();
  return drafts.map((draft) => segmentOf(draft));
}

/** The same, draft after draft. */
export function numbering(): (draft: Draft) => Segment {
  const tools = new Map<string, string>();
  let next = 0;
  return (draft) => {
    const id = next++;
    if (draft.callId === undefined) return { id, ...draft };
    if (draft.kind === "tool-call" && draft.tool !== undefined) tools.set(draft.callId, draft.tool);
    const tool = draft.tool ?? tools.get(draft.callId);
    return { id, ...draft, ...(tool === undefined ? {} : { tool }) };
  };
}

/** A draft cut from a block of ours has no body to stand in yet. Of a block nobody can read the size is all there is. */
export function withoutSpans(draft: Draft): Draft {
  const [from, to] = draft.span;
  return { ...draft, span: draft.kind === "other" ? [0, to - from] : [0, 0], textSpans: [] };
}

/** What several string literals of one block say together. */
export function textAt(bytes: Uint8Array, nodes: readonly JsonNode[]): { text: string; textSpans: readonly Span[] } {
  return {
    text: nodes.map((node) => stringAt(bytes, node.span)).join("\n"),
    textSpans: nodes.map((node) => node.span),
  };
}

export function textBlockJson(literal: string): string {
  return `{"type":"text","text":${literal}}`;
}
