import { itemsAt, type JsonNode, type Span, scanJson } from "../kernel/json-spans.ts";
import type { Edit, Segment } from "./segment.ts";

/**
 * The body with the edits made: bytes outside the edited spans are copied as they are, so a request that is not ours
 * keeps its white space, escapes and order of keys. Throws where an edit names no segment of the list, a segment is
 * edited twice, spans overlap, or text is to replace a segment that holds none.
 */
export function apply(body: Uint8Array, segments: readonly Segment[], edits: readonly Edit[]): Uint8Array {
  const splices = edits.flatMap((edit) => splicesOf(body, segments, edit)).sort((a, b) => a.span[0] - b.span[0]);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { span, bytes, segment } of splices) {
    if (span[0] < at) throw new Error(`apply: the edit of segment ${segment} overlaps another edit at byte ${span[0]}`);
    if (span[1] > body.length) throw new Error(`apply: segment ${segment} ends behind the body's ${body.length} bytes`);
    parts.push(body.subarray(at, span[0]), bytes);
    at = span[1];
  }
  parts.push(body.subarray(at));
  return joined(parts);
}

/** `text` as a JSON string literal that every provider takes: half surrogate pairs become U+FFFD. */
export function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

type Splice = { readonly segment: number; readonly span: Span; readonly bytes: Uint8Array };

const encoder = new TextEncoder();

function splicesOf(body: Uint8Array, segments: readonly Segment[], edit: Edit): readonly Splice[] {
  const segment = segments.find(({ id }) => id === edit.segment);
  if (segment === undefined) throw new Error(`apply: there is no segment ${edit.segment} among ${segments.length}`);
  if (edit.type === "bytes") return [{ segment: segment.id, span: segment.span, bytes: edit.bytes }];
  const [first, ...others] = segment.textSpans;
  if (first === undefined) {
    throw new Error(`apply: segment ${segment.id} (${segment.kind}) holds no text that could be replaced`);
  }
  const text = { segment: segment.id, span: first, bytes: encoder.encode(quoted(edit.text)) };
  return [text, ...removals(body, segment, others)];
}

/**
 * The other texts of the segment go with their blocks: an empty text block would be refused by the provider. A text that
 * is no item of a list becomes the empty string.
 */
function removals(body: Uint8Array, segment: Segment, spans: readonly Span[]): readonly Splice[] {
  if (spans.length === 0) return [];
  const [from, to] = segment.span;
  const root = scanJson(body.subarray(from, to));
  return spans.map((span) => {
    const item = itemSpan(root, [span[0] - from, span[1] - from]);
    if (item === undefined) return { segment: segment.id, span, bytes: encoder.encode('""') };
    return { segment: segment.id, span: [item[0] + from, item[1] + from], bytes: new Uint8Array() };
  });
}

/** The innermost list item that holds the span, with the comma before it; undefined for a first or no item. */
function itemSpan(node: JsonNode, span: Span): Span | undefined {
  const children = node.type === "object" ? node.members.map((member) => member.value) : itemsAt(node);
  const index = children.findIndex((child) => child.span[0] <= span[0] && span[1] <= child.span[1]);
  const child = children[index];
  if (child === undefined) return undefined;
  const inner = itemSpan(child, span);
  const before = node.type === "array" ? children[index - 1] : undefined;
  return inner ?? (before === undefined ? undefined : [before.span[1], child.span[1]]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
