import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Segment, SegmentKind } from "../../src/prompt/segment.ts";
import { anthropicCodec as codec } from "../../src/provider/anthropic/codec.ts";
import { limitMarks, marksOf, placeMarks } from "../../src/provider/anthropic/marks.ts";
import { chatCodec } from "../../src/provider/chat/codec.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

type Short = readonly [SegmentKind, Segment["role"], text?: string];
const segmentsOf = (list: readonly Short[]): readonly Segment[] =>
  list.map(([kind, role, text = "x"], id) => ({
    id,
    kind,
    role,
    text,
    hash: brand(`${id}`),
    span: [0, 0],
    textSpans: [],
  }));
const tool: Short = ["tool", "tools"];
const system: Short = ["system", "system"];
const user: Short = ["text", "user"];
const call: Short = ["tool-call", "assistant"];
const result: Short = ["tool-result", "user"];
const thinking: Short = ["reasoning", "assistant"];
const many = (n: number, item: Short): readonly Short[] => Array.from({ length: n }, () => item);
const at = (marks: readonly { readonly segment: number }[]) => marks.map((mark) => mark.segment);
const place = (list: readonly Short[], previous: readonly number[] = [], taken = 0, shared?: number) =>
  at(
    placeMarks(segmentsOf(list), {
      model: "m",
      previous,
      taken,
      ...(shared === undefined ? {} : { globalSegments: shared }),
    }),
  );
const mark = (segment: number, ttl: "5m" | "1h" = "5m") => ({ segment, ttl });

describe("placing our markers", () => {
  const head = [tool, tool, system, system];

  test("the shared part, the head's end and the last block are marked", () => {
    expect(place([...head, user])).toEqual([1, 3, 4]);
    expect(place([...head, user], [], 0, 3)).toEqual([2, 3, 4]);
    expect(place([system, user])).toEqual([0, 1]);
    expect(place([])).toEqual([]);
  });

  test("the last marked position of the request before is carried over", () => {
    expect(place([...head, user, call, result], [1, 3, 4])).toEqual([1, 3, 4, 6]);
  });

  const clearedAt = (list: readonly Short[], cleared: number, previous: readonly number[], taken = 0) =>
    at(placeMarks(segmentsOf(list), { model: "m", previous, taken, cleared }));

  test("where the service has cleared by itself there is one in place of the carried one; the head's two stay", () => {
    const list = [...head, user, call, result, call, result, call, result];
    expect(clearedAt(list, 6, [1, 3, 8])).toEqual([1, 3, 6, 10]);
    expect(clearedAt(list, -1, [1, 3, 8])).toEqual([1, 3, 8, 10]);
    // What can carry none is marked before it.
    expect(clearedAt([...head, user, call, thinking, ...many(3, result)], 6, [4])).toEqual([1, 3, 5, 9]);
    expect(clearedAt(list, 6, [8], 1)).toEqual([3, 6, 10]);
    expect(clearedAt(list, 6, [8], 2)).toEqual([6, 10]);
    expect(clearedAt(list, 6, [8], 3)).toEqual([10]);
  });

  test("of a long turn behind it the carried one is marked as well, and the shared part's gives way", () => {
    const list = [...head, user, call, result, ...many(12, call), ...many(12, result)];
    expect(clearedAt(list, 6, [1, 3, 8])).toEqual([3, 6, 8, 30]);
    expect(clearedAt(list, 6, [1, 3, 11])).toEqual([1, 3, 6, 30]);
  });

  test("the same list and previous marks give the same marks, and the head's stay in place", () => {
    const list = [...head, user, call, result];
    expect(place(list, [1, 3, 4])).toEqual(place(list, [1, 3, 4]));
    expect(place([...list, call, result], [1, 3, 4, 6])).toEqual([1, 3, 6, 8]);
  });

  test("C-035 · never on empty text, reasoning or a block we do not know: the nearest earlier block is taken", () => {
    expect(place([user, ["text", "user", ""]])).toEqual([0]);
    expect(place([user, ["text", "user", " \n"]])).toEqual([0]);
    expect(place([user, call, thinking])).toEqual([1]);
    expect(place([user, ["other", "assistant"], thinking])).toEqual([0]);
    expect(place([thinking])).toEqual([]);
  });

  test("C-039 · 24 blocks in one turn: a marker stands within 20 blocks of the last marked position", () => {
    const list = [...head, user, ...many(12, call), ...many(12, result)];
    for (const taken of [0, 1, 2, 3]) {
      const marks = place(list, [1, 3, 4], taken);
      expect(marks.length).toBeLessThanOrEqual(4 - taken);
      expect(
        marks.some((index) => index >= 4 && index - 4 < 20),
        `taken ${taken}`,
      ).toBe(true);
    }
  });

  test("with fewer slots the shared part goes first, then the head's end, then the carried one; the tail stays", () => {
    const list = [...head, user, call, result];
    expect(place(list, [4], 1)).toEqual([3, 4, 6]);
    expect(place(list, [4], 2)).toEqual([4, 6]);
    expect(place(list, [4], 3)).toEqual([6]);
    expect(place(list, [4], 4)).toEqual([]);
  });

  test("a free slot bridges a long turn in steps of at most 19 blocks", () => {
    expect(place([user, ...many(50, result)], [0])).toEqual([0, 19, 38, 50]);
  });

  test("previous positions behind the list's end are forgotten", () => {
    expect(place([...head, user], [1, 3, 40])).toEqual([1, 3, 4]);
  });

  test("C-039 · a cache that looks back 20 positions finds what was written, whatever a turn adds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 3 }),
        (turns, taken) => {
          let list: readonly Short[] = [...head, user];
          let marks = place(list, [], taken);
          for (const added of turns) {
            const written = new Set(marks);
            list = [...list, ...many(added, added % 2 === 0 ? result : call)];
            marks = place(list, marks, taken);
            expect(marks.length).toBeLessThanOrEqual(4 - taken);
            const hit = Math.max(-1, ...marks.flatMap((m) => [...written].filter((w) => w <= m && m - w < 20)));
            expect(hit).toBe(Math.max(...written));
          }
        },
      ),
    );
  });

  test("in the body each marker stands on its block, at most four, and no segment's hash changes", () => {
    fc.assert(
      fc.property(arbitraryDoc("anthropic", "claude-opus-5-5"), (doc) => {
        const segments = codec.segmentsOfDoc(doc);
        const marks = codec.placeMarks(segments, {
          model: doc.model.model,
          previous: [],
          taken: 0,
          globalSegments: doc.tools.length,
        });
        const body = new TextEncoder().encode(codec.encode(doc, marks).body);
        expect(marksOf(body)).toEqual({ marks, taken: marks.length });
        expect(codec.segments(body).map((s) => s.hash)).toEqual(segments.map((s) => s.hash));
        expect(marks.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 100 },
    );
  });

  test("a wire without markers has none", () => {
    expect(chatCodec.placeMarks(segmentsOf([user]), { model: "m", previous: [], taken: 0 })).toEqual([]);
  });
});

describe("C-033 · markers of a foreign body and ours together", () => {
  const list = segmentsOf([tool, system, system, user, call, user]);

  test("at most four stay: the last in a message, the last tool, the last system block, then the later ones", () => {
    const existing = [mark(0), mark(1), mark(2), mark(5)];
    expect(at(limitMarks(list, existing, [mark(4)]))).toEqual([0, 2, 4, 5]);
    expect(at(limitMarks(list, existing, []))).toEqual([0, 1, 2, 5]);
    expect(
      at(
        limitMarks(
          list,
          [3, 4, 5, 2].map((s) => mark(s)),
          [mark(0)],
        ),
      ),
    ).toEqual([0, 2, 4, 5]);
  });

  test("when a tool was added behind the marked one, the marker moves to the last tool and keeps its lifetime", () => {
    const grown = segmentsOf([tool, tool, system, user]);
    expect(limitMarks(grown, [mark(0, "1h"), mark(3)], [])).toEqual([mark(1, "1h"), mark(3)]);
  });

  test("a client's marker and ours on the same block are one, with the client's lifetime", () => {
    expect(limitMarks(list, [mark(5, "1h")], [mark(5)])).toEqual([mark(5, "1h")]);
  });

  test("markers of a body are read from tools, system, messages and inside results, not from inputs or schemas", () => {
    const c = { type: "ephemeral" };
    const body = {
      cache_control: c,
      tools: [
        { name: "a", input_schema: { cache_control: c } },
        { name: "b", cache_control: { ...c, ttl: "1h" } },
      ],
      system: [{ type: "text", text: "s", cache_control: c }],
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "x", name: "a", input: { cache_control: c } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "x", content: [{ type: "text", text: "r", cache_control: c }] },
          ],
        },
      ],
    };
    expect(marksOf(new TextEncoder().encode(JSON.stringify(body)))).toEqual({
      marks: [mark(1, "1h"), mark(2), mark(4)],
      taken: 4,
    });
  });
});
