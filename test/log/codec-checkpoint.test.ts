import fc from "fast-check";
import { expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { checkpointVersion, encodeCheckpoint, readCheckpoint } from "../../src/log/checkpoint.ts";

const position = { seq: 10.5, hash: hashOf("line"), hint: "11:300:420:5" };

test("a checkpoint gives back its position and its state", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (state) => {
      expect(readCheckpoint(encodeCheckpoint(position, state))).toEqual({ position, stateText: state });
    }),
  );
  expect(readCheckpoint(encodeCheckpoint({ seq: 0, hash: "" }, "{}"))).toEqual({
    position: { seq: 0, hash: "" },
    stateText: "{}",
  });
});

test("a checkpoint with any byte changed or cut is none, or still says the same", () => {
  const text = encodeCheckpoint(position, '{"live":["é漢"]}');
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 2 }), (at, put) => {
      const read = readCheckpoint(text.slice(0, at) + put + text.slice(at + 1));
      if (read !== null) expect(read).toEqual({ position, stateText: '{"live":["é漢"]}' });
      if (at < text.length - 1) expect(readCheckpoint(text.slice(0, at + 1))).toBe(null);
    }),
    { numRuns: 500 },
  );
});

test("a checkpoint of another version is none", () => {
  const text = encodeCheckpoint(position, "{}");
  expect(readCheckpoint(text.replace(`"version":${checkpointVersion}`, `"version":${checkpointVersion + 1}`))).toBe(
    null,
  );
  for (const other of ["", "null", "[]", "{}", "not JSON"]) expect(readCheckpoint(other)).toBe(null);
});
