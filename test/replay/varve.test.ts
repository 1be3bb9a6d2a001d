import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { replay } from "../../src/replay/replay.ts";
import type { Decision, Strategy } from "../../src/replay/strategy.ts";
import { varve, varveStrategies } from "../../src/replay/varve.ts";
import { shownFirst } from "../../src/replay/varve-forms.ts";
import { chainOf, decided, linesOf, type Made, recorded, terms } from "../support/recorded.ts";

const strategy = (name: string): Strategy => {
  const found = varveStrategies.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no strategy ${name}`);
  return found;
};
const small = terms({ windowTokens: 37_000 });
const tokensIn = ({ shown }: Decision) => shown.reduce((sum, { tokens }) => sum + tokens, 5_000);

describe("a result enters as the product's own tool for the same work would show it", () => {
  const text = linesOf(600, "result");
  const rows: readonly (readonly [tool: string, input: string, enters: "whole" | "cut"])[] = [
    ["Read", '{"file_path": "/a.ts"}', "whole"],
    ["read", '{"path": "a.ts"}', "whole"],
    ["read_file", '{"path": "a.ts"}', "whole"],
    ["readFile", "{}", "whole"],
    ["view", '{"path": "a.ts"}', "whole"],
    ["open", "a.ts", "whole"],
    ["str_replace_editor", '{"command": "view", "path": "/a"}', "whole"],
    ["str_replace_editor", '{"command": "create", "path": "/a"}', "cut"],
    ["exec_command", '{"cmd": "sed -n \'1,400p\' a.ts"}', "cut"],
    ["shell", '{"command": ["bash", "-lc", "cd src && cat a.ts | head -600"]}', "cut"],
    ["Bash", '{"command": "cat a.ts; npm test"}', "cut"],
    ["Bash", '{"command": "cat > a.ts"}', "cut"],
    ["execute_bash", "npm test", "cut"],
    ["Grep", '{"pattern": "x"}', "cut"],
    ["mcp__files__read_file", '{"path": "a.ts"}', "cut"],
    ["WebFetch", "{}", "cut"],
    ["a-new-tool", "{}", "cut"],
    ["", "", "cut"],
  ];
  test.each(rows)("%s %s: %s", (tool, input, enters) => {
    expect(shownFirst(text, tool, input).whole).toBe(enters === "whole");
  });

  test("what fits stays byte for byte, whatever it says of an exit code", () => {
    const said = "make: *** Error 1\nProcess exited with code 2";
    expect(shownFirst(said, "Bash", "{}")).toEqual({ whole: true, text: said });
  });

  test("what is cut keeps the exit code that its note said, and leads back by its handle", () => {
    const said = `{"output": ${JSON.stringify(linesOf(900, "a"))}, "metadata": {"exit_code": 7}}`;
    const form = shownFirst(said, "shell", '{"command": ["npm", "test"]}');
    expect(form.text.length).toBeLessThan(said.length / 2);
    expect(form.text).toContain("[exit code 7]");
    expect(form.text).toContain(handleOf(hashOf(said)));
  });
});

test("a cut result names its handle for the call it came from, a whole one none", async () => {
  const long = linesOf(600, "long");
  const [, , last] = await decided(strategy("varve"), recorded(chainOf(["short", long])));
  const results = last?.shown.filter(({ kind }) => kind === "tool-result") ?? [];
  expect(results.map(({ handles }) => handles)).toEqual([[], [{ handle: handleOf(hashOf(long)), callIds: ["c1"] }]]);
});

const sessions = fc
  .array(fc.record({ lines: fc.integer({ min: 1, max: 500 }), thought: fc.boolean(), restart: fc.nat(20) }), {
    minLength: 3,
    maxLength: 25,
  })
  .map((parts): readonly Made[] => [
    { said: "go on", asks: [{ callId: "c0" }] },
    ...parts.map(({ lines, thought, restart }, at) => ({
      results: [{ callId: `c${at}`, text: linesOf(lines, `r${at}`) }],
      ...(thought ? { thought: linesOf(20, `t${at}`) } : {}),
      ...(restart === 0 ? ({ restart: "compacted", said: "a summary" } as const) : {}),
      asks: [{ callId: `c${at + 1}` }],
    })),
  ]);

test("law 2: between breaks each prompt begins with the one before it, by the same segments", async () => {
  await fc.assert(
    fc.asyncProperty(sessions, async (made) => {
      const calls = recorded(made);
      const decisions = await decided(strategy("varve"), calls, { terms: small });
      for (const [at, decision] of decisions.entries()) {
        const before = decisions[at - 1];
        if (before === undefined || decision.break !== null || calls[at]?.restart !== null) continue;
        expect(decision.shown.slice(0, before.shown.length).every((one, place) => one === before.shown[place])).toBe(
          true,
        );
      }
    }),
    { numRuns: 30 },
  );
});

test("laws 3 and 5: in a small window no prompt is over it, and what went is led back to by a handle that stands there", async () => {
  await fc.assert(
    fc.asyncProperty(sessions, async (made) => {
      const calls = recorded(made.map(({ restart: _none, ...one }) => one));
      const decisions = await decided(strategy("varve"), calls, { terms: small });
      for (const [at, decision] of decisions.entries()) {
        expect(tokensIn(decision)).toBeLessThanOrEqual(small.windowTokens);
        const known = decision.shown.flatMap(({ text, callId, handles }) => [
          ...(callId === null ? [] : [callId]),
          ...handles.filter(({ handle }) => text?.includes(handle)).flatMap(({ callIds }) => callIds),
        ]);
        const came = calls.slice(0, at + 1).flatMap(({ before }) => before.flatMap(({ callId }) => callId ?? []));
        expect(came.filter((callId) => !known.includes(callId))).toEqual([]);
      }
    }),
    { numRuns: 30 },
  );
});

describe("what is neither cleared nor collapsed under pressure is folded", () => {
  const folding = varve("folding", { clearing: "off", collapsing: "off" });
  const texts = Array.from({ length: 12 }, (_, at) => linesOf(300, `result ${at}`));
  const made = chainOf(texts, "Read").map((one) => ({ ...one, thought: linesOf(30, "thought") }));

  test("each folded call is led back to by a handle of its own, and all of them by the list's", async () => {
    const decisions = await decided(folding, recorded(made), { terms: small });
    const folded = decisions.find((one) => one.break !== null);
    expect(folded?.break).toBe("compacted");
    const fold = folded?.shown.find(({ kind }) => kind === "fold");
    const [text] = texts;
    expect(fold?.handles).toContainEqual({ handle: handleOf(hashOf(text ?? "")), callIds: ["c0"] });
  });

  test("results with equal texts share a handle, and each of them is one result by it", async () => {
    const same = Array.from({ length: 14 }, () => linesOf(300, "again"));
    const decisions = await decided(folding, recorded(chainOf(same, "Read")), { terms: small });
    const fold = decisions.flatMap(({ shown }) => shown).findLast(({ kind }) => kind === "fold");
    expect(fold?.handles.length).toBeGreaterThan(1);
    expect(fold?.handles.every(({ callIds }) => callIds.length === 1)).toBe(true);
  });

  test("reasoning behind the first changed segment is left out whole and counted once", async () => {
    const decisions = await decided(folding, recorded(made), { terms: small });
    const broken = decisions.findIndex((one) => one.break !== null);
    const before = decisions[broken - 1]?.shown.filter(({ kind }) => kind === "reasoning") ?? [];
    const at = decisions[broken];
    expect(at?.shown.some((one) => before.includes(one))).toBe(false);
    expect(at?.reasoningTokensLost).toBe(before.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(decisions.filter((one) => one.break === null).every((one) => one.reasoningTokensLost === 0)).toBe(true);
  });

  test("without any of them nothing that was sent ever changes; without forms what fits is shown whole", async () => {
    const none = varve("none of them", { clearing: "off", collapsing: "off", folding: "off" });
    const decisions = await decided(none, recorded(made), { terms: small });
    expect(decisions.every((one) => one.break === null)).toBe(true);
    const long = linesOf(600, "long");
    const noForms = await decided(strategy("varve-no-forms"), recorded(chainOf([long])));
    expect(noForms.at(-1)?.shown.at(-1)?.text).toBe(long);
  });
});

describe("finished spans are collapsed where clearing does not come down to the mark", () => {
  const collapsing = varve("collapsing", { clearing: "off", folding: "off" });
  const texts = Array.from({ length: 12 }, (_, at) => linesOf(300, `result ${at}`));

  test("what was said stays, and each result is led back to by its span's handle or its own", async () => {
    const made = chainOf(texts, "Read");
    const decisions = await decided(collapsing, recorded(made), { terms: small });
    const collapsed = decisions.findIndex((one) => one.break !== null);
    expect(decisions[collapsed]?.break).toBe("collapsed");
    const { shown = [] } = decisions[collapsed] ?? {};
    expect(shown.some(({ text }) => text === "go on")).toBe(true);
    const line = shown.find(({ kind }) => kind === "fold");
    expect(line?.text).toMatch(/^\[Finished work, folded to a line: read .* lists the \d+ calls/);
    expect(line?.handles.some(({ callIds }) => callIds.includes("c0"))).toBe(true);
  });

  test("a second time only the newer span goes: an older line stays the same object", async () => {
    const many = Array.from({ length: 30 }, (_, at) => linesOf(300, `result ${at}`));
    const decisions = await decided(collapsing, recorded(chainOf(many, "Read")), { terms: small });
    const breaks = decisions.filter((one) => one.break === "collapsed");
    expect(breaks.length).toBeGreaterThan(1);
    const first = breaks[0]?.shown.find(({ kind }) => kind === "fold");
    expect(breaks.every(({ shown }) => first !== undefined && shown.includes(first))).toBe(true);
  });
});

test("a recorded restart starts anew: nothing of what stood before is shown", async () => {
  const made: readonly Made[] = [
    ...chainOf([linesOf(50, "old")]),
    { restart: "compacted", said: "a summary", asks: [] },
  ];
  const last = (await decided(strategy("varve"), recorded(made))).at(-1);
  expect(last?.shown.map(({ text }) => text)).toEqual(["a summary"]);
});

test("what is needed and not shown is recalled: nothing is lost, also in a window it does not fit", async () => {
  const texts = Array.from({ length: 20 }, (_, at) => linesOf(300, `result ${at}`));
  const probes = texts.slice(0, 10).map((_, at) => ({
    callId: `c${at + 10}`,
    kind: "ident",
    text: `result ${at} line 150 says`,
    source: `c${at}`,
  }));
  const done = await replay({
    recording: { session: "s", headTokens: 5_000, calls: recorded(chainOf(texts)) },
    probes,
    strategy: strategy("varve"),
    terms: small,
    now: () => 0,
    onCall: () => {},
  });
  expect({ lost: done.lost, all: done.visible + done.recalled, over: done.overflows.atH32k }).toEqual({
    lost: 0,
    all: 10,
    over: 0,
  });
});
