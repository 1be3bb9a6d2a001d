import type { Wire } from "../../src/kernel/usage.ts";
import { apply } from "../../src/prompt/apply.ts";
import type { Edit } from "../../src/prompt/segment.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { check } from "./run-program.ts";

/**
 * Every segment replaced by its own bytes changes nothing; a text edit changes only the span of its segment. Gives the
 * number of segments.
 */
export function survivesApply(name: string, wire: Wire, body: string): number {
  const bytes = new TextEncoder().encode(body);
  const { segments: cut } = codecFor(wire);
  const segments = cut(bytes);
  const own = segments.map(({ id, span }): Edit => ({ type: "bytes", segment: id, bytes: bytes.slice(...span) }));
  check(Buffer.compare(apply(bytes, segments, own), bytes) === 0, `${name}: its own bytes put back changed the body`);
  for (const { id, span, textSpans } of segments) {
    if (textSpans.length === 0) continue;
    const edited = apply(bytes, segments, [{ type: "text", segment: id, text: '新しい "text" 😀' }]);
    const tail = bytes.length - span[1];
    check(Buffer.compare(edited.subarray(0, span[0]), bytes.subarray(0, span[0])) === 0, `${name}: bytes before ${id}`);
    check(
      Buffer.compare(edited.subarray(edited.length - tail), bytes.subarray(span[1])) === 0,
      `${name}: bytes behind ${id}`,
    );
    const others = (list: typeof segments) =>
      list
        .filter((one) => one.id !== id)
        .map(({ hash }) => hash)
        .join();
    check(others(cut(edited)) === others(segments), `${name}: an edit of ${id} changed another segment`);
  }
  return segments.length;
}
