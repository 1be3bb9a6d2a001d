import { expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { chainHashes } from "../../src/prompt/chain.ts";
import { memoryFormStore } from "../../src/prompt/form-store.ts";
import type { Segment } from "../../src/prompt/segment.ts";
import { formStoreConformance } from "../support/form-store-conformance.ts";

formStoreConformance("memory", memoryFormStore);

test("a chain hash names a segment with all that stands before it", () => {
  const segment = (id: number, text: string): Segment => ({
    id,
    kind: "text",
    role: "user",
    hash: hashOf(text),
    text,
    span: [0, 0],
    textSpans: [],
  });
  const a = chainHashes([segment(0, "a"), segment(1, "b"), segment(2, "c")]);
  const b = chainHashes([segment(0, "a"), segment(1, "x"), segment(2, "c")]);
  expect(a.map((hash, index) => hash === b[index])).toEqual([true, false, false]);
  expect(chainHashes([segment(2, "c")], a[1])).toEqual([a[2]]);
});
