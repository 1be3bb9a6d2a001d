import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { callKey, noRepeats, type RepeatState, returnedAgain, withheld } from "../../src/log/repeats.ts";

const call = (path: string) => ({ tool: "Read", input: JSON.stringify({ path }) });
const request = (n: number) => brand<"RequestId">(`req_${n}`);

type Said = { readonly seq: number; readonly path: string; readonly output: string; readonly by?: number };

const returned = (state: RepeatState, { seq, path, output, by = seq }: Said) =>
  returnedAgain(state, {
    call: call(path),
    request: request(by),
    entry: {
      seq,
      at: 0,
      type: "tool-returned",
      callId: brand(`c${seq}`),
      tool: "Read",
      ending: "done",
      output,
      handle: handleOf(hashOf(output)),
      exitCode: null,
      files: [],
      images: [],
    },
  });

/** It returned, and was not shown. */
const noted = (state: RepeatState, said: Said) =>
  withheld(returned(state, said), {
    call: call(said.path),
    piece: `${said.seq}.0`,
    request: request(said.by ?? said.seq),
    what: `Read ${said.path}`,
  });

test("calls are the same whose inputs are equal, however they are written, and of one tool", () => {
  const key = callKey({ tool: "Read", input: '{"path":"a","from":1}' });
  expect(callKey({ tool: "Read", input: '{ "from": 1, "path": "a" }' })).toBe(key);
  expect(callKey({ tool: "View", input: '{"path":"a","from":1}' })).not.toBe(key);
  expect(callKey({ tool: "Read", input: '{"path":"a","from":2}' })).not.toBe(key);
  const blob = (text: string) => ({ tool: "Read", input: { blob: hashOf(text), chars: 5_000 } });
  expect(callKey(blob("x"))).toBe(callKey(blob("x")));
  expect(callKey({ tool: "Read", input: "not JSON" })).not.toBe(callKey({ tool: "Read", input: "not  JSON" }));
});

test("the same output is counted, another one begins anew", () => {
  const twice = returned(returned(noRepeats, { seq: 1, path: "a", output: "x" }), { seq: 2, path: "a", output: "x" });
  expect(twice.calls[callKey(call("a"))]).toMatchObject({ times: 2, shown: ["1.0", "2.0"] });
  expect(twice.fresh.seq).toBe(1);
  const other = returned(twice, { seq: 3, path: "a", output: "y" });
  expect(other.calls[callKey(call("a"))]).toMatchObject({ times: 1, shown: ["3.0"], told: false });
  expect(other.fresh.seq).toBe(3);
});

test("what is not shown is not counted as shown", () => {
  const shown = [1, 2, 3].reduce((state, seq) => returned(state, { seq, path: "a", output: "x" }), noRepeats);
  const after = noted(noted(shown, { seq: 4, path: "a", output: "x" }), { seq: 5, path: "a", output: "x" });
  const one = after.calls[callKey(call("a"))];
  expect(one).toMatchObject({ times: 3, told: true });
  expect(one?.shown.length).toBeGreaterThanOrEqual(bounds.repeatsShownMin);
  expect(one?.shown).not.toContain("5.0");
});

test("insisting is to ask for what was told: once an answer, and not beside anything new", () => {
  const of = (path: string, seq: number, by = seq): Said => ({ seq, path, output: `text of ${path}`, by });
  let state = returned(returned(noRepeats, of("a", 1)), of("b", 2));
  state = noted(noted(state, of("a", 3)), of("b", 4));
  expect(state.insisted.answers).toBe(0);
  state = noted(noted(state, of("a", 5, 9)), of("b", 6, 9));
  expect(state.insisted).toEqual({ answers: 1, request: request(9), what: "Read a" });
  state = noted(state, of("a", 10));
  expect(state.insisted.answers).toBe(2);
  for (const order of [
    [of("c", 11, 20), of("a", 12, 20)],
    [of("a", 11, 20), of("c", 12, 20)],
  ])
    expect(
      order.reduce((to, said) => (said.path === "c" ? returned(to, said) : noted(to, said)), state).insisted.answers,
    ).toBe(0);
});

test("bounds.repeatCallsMax calls are remembered, those that returned last", () => {
  const last = bounds.repeatCallsMax + 3;
  let state: RepeatState = noRepeats;
  for (let seq = 1; seq < last; seq++) state = returned(state, { seq, path: `f${seq}`, output: "x" });
  state = returned(state, { seq: last, path: "f5", output: "x" });
  expect(Object.keys(state.calls)).toHaveLength(bounds.repeatCallsMax);
  expect(state.calls[callKey(call("f5"))]?.times).toBe(2);
  expect(Object.keys(state.calls).at(-1)).toBe(callKey(call("f5")));
  expect(state.calls[callKey(call("f1"))]).toBeUndefined();
});
