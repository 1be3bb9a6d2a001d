import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { apply } from "../../src/prompt/apply.ts";
import type { Edit } from "../../src/prompt/segment.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { cut as simulatorCut } from "../../src/testing/simulate/cut.ts";

const captured: readonly (readonly [Wire, string])[] = [
  ["anthropic", "pi-0.73.1-anthropic.json"],
  ["chat", "opencode-1.18.33-chat.json"],
];

const bodyOf = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))));
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe.each(captured)("a body that a real client sent (%s, %s)", (wire, name) => {
  const { segments: cut } = codecFor(wire);

  test("survives apply byte for byte when each segment is replaced by its own bytes", async () => {
    const body = await bodyOf(name);
    const segments = cut(body);
    const edits = segments.map(({ id, span }): Edit => ({ type: "bytes", segment: id, bytes: body.slice(...span) }));
    expect(segments.length).toBeGreaterThan(5);
    expect(same(apply(body, segments, edits), body)).toBe(true);
    expect(same(apply(body, segments, []), body)).toBe(true);
  });

  test("has as many segments as the simulator finds in it", async () => {
    const body = await bodyOf(name);
    expect(cut(body).length).toBe(simulatorCut(wire, new TextDecoder().decode(body)).length);
  });

  test("an edit of one segment changes its span alone, and no other segment's hash", async () => {
    const body = await bodyOf(name);
    const segments = cut(body);
    for (const { id, span, textSpans } of segments) {
      if (textSpans.length === 0) continue;
      const edited = apply(body, segments, [{ type: "text", segment: id, text: 'new "text" 新しい 😀' }]);
      const tail = body.length - span[1];
      expect(same(edited.subarray(0, span[0]), body.subarray(0, span[0]))).toBe(true);
      expect(same(edited.subarray(edited.length - tail), body.subarray(span[1]))).toBe(true);
      const after = cut(edited);
      expect(after[id]?.text).toBe('new "text" 新しい 😀');
      expect(after.filter((one) => one.id !== id).map(({ hash }) => hash)).toEqual(
        segments.filter((one) => one.id !== id).map(({ hash }) => hash),
      );
    }
  });
});
