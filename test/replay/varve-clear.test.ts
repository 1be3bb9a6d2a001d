import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { Decision, Strategy } from "../../src/replay/strategy.ts";
import { varveStrategies } from "../../src/replay/varve.ts";
import { chainOf, decided, linesOf, type Made, recorded, terms } from "../support/recorded.ts";

const strategy = (name: string): Strategy => {
  const found = varveStrategies.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no strategy ${name}`);
  return found;
};
/** Without first forms, so that what is missing was cleared. */
const textOf = ({ shown }: Decision) => shown.map(({ text }) => text ?? "").join("\n");
/** Commands whose outputs are never used again, each of about 1,000 tokens. */
const outputs = Array.from({ length: 60 }, (_, at) => linesOf(90, `run ${at}`));

test("what has cost its price goes, and each stub leads back to its result", async () => {
  const decisions = await decided(strategy("varve-no-forms"), recorded(chainOf(outputs)));
  const cleared = decisions.findIndex((one) => one.break === "cleared");
  expect(cleared).toBeGreaterThan(0);
  const [first = ""] = outputs;
  const handle = handleOf(hashOf(first));
  const stub = decisions[cleared]?.shown.find(({ callId, kind }) => callId === "c0" && kind === "tool-result");
  expect(stub?.text).toBe(`[Result left out; recall handle=${handle} returns all of it.]`);
  expect(stub?.handles).toEqual([{ handle, callIds: ["c0"] }]);
});

test("sticky: a stub stays byte for byte the same object", async () => {
  const decisions = await decided(strategy("varve-no-forms"), recorded(chainOf(outputs)));
  const cleared = decisions.findIndex((one) => one.break === "cleared");
  const stub = decisions[cleared]?.shown.find(({ text }) => text?.startsWith("[Result left out"));
  expect(decisions.slice(cleared).every(({ shown }) => stub !== undefined && shown.includes(stub))).toBe(true);
});

describe("where it cannot pay nothing is done", () => {
  test.each([
    ["reads are free", { read: 0, write: 1.25, output: 5 }, 300_000],
    ["writes are out of all proportion", { read: 0.001, write: 2, output: 5 }, null],
  ] as const)("%s", async (_name, prices, lifetimeMs) => {
    const decisions = await decided(strategy("varve-no-forms"), recorded(chainOf(outputs)), {
      terms: terms({ prices, lifetimeMs }),
    });
    expect(decisions.map((one) => one.break).filter((reason) => reason !== null)).toEqual([]);
  });

  test("a short session", async () => {
    const decisions = await decided(strategy("varve-no-forms"), recorded(chainOf(outputs.slice(0, 15))));
    expect(decisions.every((one) => one.break === null)).toBe(true);
  });
});

test("after an idle hour the cache is gone, and what is old goes with the next request", async () => {
  const made = chainOf(outputs.slice(0, 24)).map((one, at): Made => (at === 24 ? { ...one, minutes: 60 } : one));
  // So cheap to read that nothing would go yet.
  const prices = { read: 0.01, write: 1.25, output: 5 };
  const warm = await decided(strategy("varve-no-forms"), recorded(made), {
    terms: terms({ prices, lifetimeMs: null }),
  });
  const cold = await decided(strategy("varve-no-forms"), recorded(made), { terms: terms({ prices }) });
  expect(warm.every((one) => one.break === null)).toBe(true);
  expect(cold.map((one) => one.break).indexOf("cleared")).toBe(24);
});

test("large inputs of calls go as well, and not where only results are cleared", async () => {
  const content = linesOf(60, "content");
  const input = (at: number) => JSON.stringify({ file_path: `/src/f${at}.ts`, content });
  const made: readonly Made[] = [
    { said: "go on", asks: [{ callId: "c0", tool: "Write", input: input(0) }] },
    ...Array.from({ length: 60 }, (_, at) => ({
      results: [{ callId: `c${at}`, text: "written", tool: "Write" }],
      asks: [{ callId: `c${at + 1}`, tool: "Write", input: input(at + 1) }],
    })),
  ];
  const all = await decided(strategy("varve-no-forms"), recorded(made));
  const results = await decided(strategy("varve-no-inputs"), recorded(made));
  const last = all.at(-1)?.shown.find(({ callId, kind }) => callId === "c0" && kind === "tool-call");
  const handle = handleOf(hashOf(input(0)));
  expect(JSON.parse(last?.text ?? "")).toEqual({
    file_path: "/src/f0.ts",
    content: `[${content.length} characters; recall handle=${handle}]`,
  });
  expect(last?.handles).toEqual([]);
  expect(results.every((one) => one.break === null)).toBe(true);
});

test("what was recalled is cleared later than a command's output, and leads back to the whole result", async () => {
  const calls = recorded(chainOf(outputs));
  const [first = ""] = outputs;
  const recalled = {
    id: -1,
    role: "user",
    kind: "recalled",
    callId: "c0",
    tool: "Bash",
    text: linesOf(60, "recalled"),
  } as const;
  const made = calls.map((call) => (call.n === 30 ? { ...call, before: [...call.before, recalled] } : call));
  const decisions = await decided(strategy("varve-no-forms"), made);
  const next = decisions.findIndex((one, at) => at > 32 && one.break === "cleared");
  expect(decisions[Math.min(next, 40)]?.shown.find(({ kind }) => kind === "recalled")?.text).toContain(
    "recalled line 0",
  );
  const last = decisions.at(-1)?.shown.find(({ kind }) => kind === "recalled");
  expect(last?.handles).toEqual([{ handle: handleOf(hashOf(first)), callIds: ["c0"] }]);
});

const works = fc.array(
  fc.record({
    tool: fc.constantFrom("Bash", "Read", "Grep", "Write"),
    lines: fc.integer({ min: 1, max: 300 }),
    file: fc.nat(5),
    thought: fc.boolean(),
    minutes: fc.constantFrom(1, 1, 1, 1, 30),
  }),
  { minLength: 20, maxLength: 60 },
);

test("laws 2 and 3: between breaks a prompt only grows, and whatever went is led back to", async () => {
  await fc.assert(
    fc.asyncProperty(works, async (parts) => {
      const input = (at: number) => {
        const { file, lines } = parts[at] ?? { file: 0, lines: 1 };
        return JSON.stringify({
          file_path: `src/f${file}.ts`,
          command: `make ${file}`,
          content: linesOf(lines, `i${at}`),
        });
      };
      const made: readonly Made[] = [
        { said: "go on", asks: [{ callId: "c0", tool: parts[0]?.tool ?? "Bash", input: input(0) }] },
        ...parts.map(
          ({ tool, lines, thought, minutes }, at): Made => ({
            results: [{ callId: `c${at}`, text: linesOf(lines, `r${at}`), tool }],
            ...(thought ? { thought: linesOf(20, `t${at}`) } : {}),
            minutes,
            asks: [{ callId: `c${at + 1}`, tool: parts[at + 1]?.tool ?? "Bash", input: input(at + 1) }],
          }),
        ),
      ];
      const calls = recorded(made);
      const decisions = await decided(strategy("varve-no-forms"), calls);
      for (const [at, decision] of decisions.entries()) {
        const before = decisions[at - 1];
        if (before !== undefined && decision.break === null)
          expect(before.shown.every((one, place) => one === decision.shown[place])).toBe(true);
        const whole = textOf(decision);
        for (const { kind, callId, text } of calls.slice(0, at + 1).flatMap((call) => call.before)) {
          if (kind !== "tool-result" || whole.includes(text)) continue;
          const handles = decision.shown.flatMap((one) => one.handles);
          expect(handles).toContainEqual({ handle: handleOf(hashOf(text)), callIds: [callId] });
        }
        // What no answer has seen is as it came.
        for (const { text } of calls[at]?.before ?? []) expect(whole).toContain(text);
      }
    }),
    { numRuns: 15 },
  );
});
