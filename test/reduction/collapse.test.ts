import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { type CollapseGoal, collapse } from "../../src/reduction/collapse.ts";
import { droppedIds } from "../../src/reduction/dropped-ids.ts";
import { did, message, type Part, says, thinks, words, worked } from "../support/worked.ts";

const tight: CollapseGoal = { targetTokens: 0, savedTokensMin: 1, closeLoop: false, reasoning: "bound" };
const reminder = (text: string): Part => ({ kind: "text", role: "user", as: "reminder", text });
const read = (at: number, size = 400) => did(`r${at}`, "Read", { file_path: `/work/src/f${at}.ts` }, words(size));

/** What the model gets: the parts that stay, and the lines in their places. */
function collapsed(parts: readonly (Part | readonly Part[])[], goal: Partial<CollapseGoal> = {}) {
  const { segments, memo } = worked(...parts);
  const all = parts.flat();
  const made = collapse(segments, memo, { ...tight, ...goal });
  if (made.type === "nothing") return { made, shown: all.map(({ text }) => text), lines: [], originals: [] };
  const gone = droppedIds(made.drops);
  const linesAt = (place: number | null) =>
    made.blocks.filter(({ before }) => before === place).map(({ text }) => text);
  const shown = [...all.flatMap(({ text }, at) => [...linesAt(at), ...(gone.has(at) ? [] : [text])]), ...linesAt(null)];
  return {
    made,
    shown,
    lines: made.blocks.map(({ text }) => text),
    originals: made.blocks.map(({ original }) => original),
  };
}

describe("a finished span of tool work becomes one line", () => {
  test("in its place: what was said stays word for word, and the newest step whole", () => {
    const newest = read(9);
    const parts = [message("fix it"), read(1), read(2), says("found it"), read(3), message("go on"), read(4), newest];
    const { shown, lines } = collapsed(parts);
    expect(lines).toHaveLength(3);
    const [first, second, third] = lines;
    const [call, result] = newest.map(({ text }) => text);
    expect(shown).toEqual(["fix it", first, "found it", second, "go on", third, call, result]);
  });

  test("that says what was done to what, what failed in the end, and the way back", () => {
    const { lines, originals } = collapsed([
      message("go on"),
      did("c1", "Read", { file_path: "/work/src/a.ts" }, words(300)),
      did("c2", "Edit", { file_path: "/work/src/a.ts", old_string: words(200), new_string: "b" }, "done"),
      did("c3", "Bash", { command: "npm test" }, `${words(300)}\n[exit code 1]`),
      did("c4", "Bash", { command: "npm run lint" }, `${words(300)}\n[exit code 2]`),
      did("c5", "Bash", { command: "npm test" }, words(300)),
      did("c6", "Grep", { pattern: "needle" }, words(300)),
      did("c7", "mcp__db__query", { query: "select 1" }, words(300)),
      read(9),
    ]);
    const handle = originals[0]?.handle ?? "";
    expect(lines).toEqual([
      "[Finished work, folded to a line: read src/a.ts; changed src/a.ts; ran npm test, npm run lint (exit code 2); " +
        `searched needle; used mcp__db__query on select 1. recall handle=${handle} lists the 7 calls, each with its outcome and its handle.]`,
    ]);
  });

  test("whose original lists each call with its outcome and the handle of its own result", () => {
    const { originals } = collapsed([message("go on"), read(1), read(2), says("so"), read(9)]);
    const [original] = originals;
    expect(original?.handle).toBe(handleOf(hashOf(original?.text ?? "")));
    for (const id of ["r1", "r2"]) expect(original?.text).toContain(`[${handleOf(hashOf(id))}]`);
    expect(original?.text.split("\n")).toHaveLength(2);
  });

  test("of few calls the results' own handles stand in the line", () => {
    const { lines } = collapsed([message("go on"), read(1), says("so"), read(9)]);
    expect(lines[0]).toContain(`handle=${handleOf(hashOf("r1"))}`);
  });

  test("that quotes no more than a part of many or of long subjects", () => {
    const long = did("long", "Bash", { command: `echo ${"ab ".repeat(5_000)}` }, words(300));
    const { lines } = collapsed([
      message("go on"),
      Array.from({ length: 200 }, (_, at) => read(at)).flat(),
      long,
      read(999),
    ]);
    expect(lines[0]).toContain("and 192 more");
    expect(lines[0]?.length).toBeLessThan(1_000);
  });
});

describe("calls made in one answer", () => {
  const [callA, resultA] = did("a", "Read", { file_path: "a.ts" }, words(400));
  const [callB, resultB] = did("b", "Read", { file_path: "b.ts" }, words(400));
  const [skillCall, skillResult] = did("s", "Skill", { skill: "x" }, words(400));

  test("are one span, whatever the answer said between them", () => {
    const parts = [message("go on"), callA, says("and"), callB, resultA, resultB, read(9)].flatMap(
      (part) => part ?? [],
    );
    const { shown, lines } = collapsed(parts);
    expect(shown.slice(0, 3)).toEqual(["go on", "and", lines[0]]);
    expect(lines).toHaveLength(1);
  });

  test("what is kept by its kind stays with its result, and no line comes between the two", () => {
    const parts = [message("go on"), callA, skillCall, resultA, skillResult, says("so"), read(9)].flatMap(
      (part) => part ?? [],
    );
    const { shown, lines } = collapsed(parts);
    expect(shown.slice(0, 5)).toEqual(["go on", skillCall?.text, skillResult?.text, lines[0], "so"]);
  });
});

describe("what stays", () => {
  test("as many of the newest steps as the target leaves room for", () => {
    const steps = Array.from({ length: 10 }, (_, at) => read(at));
    const size = estimate(words(400));
    const { shown } = collapsed([message("go on"), ...steps], { targetTokens: 4 * size });
    expect(shown.filter((text) => text === words(400))).toHaveLength(3);
    expect(collapsed([message("go on"), ...steps], { targetTokens: 20 * size }).made.type).toBe("nothing");
  });

  test("a span whose line would be no smaller, and everything where that saves too little", () => {
    const { shown } = collapsed([
      message("go on"),
      did("c1", "Bash", { command: "true" }, "ok"),
      says("so"),
      read(1),
      says("a"),
      read(9),
    ]);
    expect(shown).toContain("ok");
    expect(collapsed([message("go on"), read(1), read(9)], { savedTokensMin: 5_000 }).made.type).toBe("nothing");
    expect(collapsed([message("go on"), did("c1", "Bash", { command: "true" }, "ok"), read(9)]).made.type).toBe(
      "nothing",
    );
  });

  test("an older line, as it is", () => {
    const older: Part = {
      kind: "text",
      role: "user",
      as: "fold",
      text: "[Finished work, folded to a line: read a.ts. recall handle=x]",
    };
    const { shown } = collapsed([message("go on"), older, read(1), read(9)]);
    expect(shown[1]).toBe(older.text);
    expect(shown).toHaveLength(5);
  });

  test("nothing of a loop that needs its reasoning goes", () => {
    expect(collapsed([message("go on"), read(1), read(9)], { closeLoop: true }).made.type).toBe("nothing");
  });

  test("a reminder between finished steps does not: it is said anew; one behind the newest step does", () => {
    const { shown, lines } = collapsed([message("go on"), read(1), reminder("old"), read(2), read(9), reminder("new")]);
    expect(lines).toHaveLength(1);
    expect(shown).not.toContain("old");
    expect(shown).toContain("new");
  });
});

describe("reasoning", () => {
  const parts = [
    message("a"),
    thinks("t0"),
    says("x"),
    message("b"),
    thinks("t1"),
    read(1),
    thinks("t2"),
    says("so"),
    message("c"),
    thinks("t3"),
    read(9),
  ];

  test("behind the first change is left out whole where the provider binds it, and counted", () => {
    for (const reasoning of ["bound", "bound-loop"] as const) {
      const { shown, made } = collapsed(parts, { reasoning });
      expect(shown.filter((text) => /^t\d$/.test(text))).toEqual(["t0"]);
      expect(made).toMatchObject({ reasoningTokensLost: 3 * estimate("t1") });
    }
  });

  test("stays elsewhere, but for that of the steps that went", () => {
    const { shown, lines } = collapsed(parts, { reasoning: "free" });
    expect(shown.filter((text) => /^t\d$/.test(text))).toEqual(["t0", "t2", "t3"]);
    expect(shown.indexOf(lines[0] ?? "")).toBe(shown.indexOf("t2") - 1);
  });
});

const steps = fc.array(
  fc.record({
    calls: fc.array(
      fc.record({
        tool: fc.constantFrom("Read", "Bash", "Edit", "Skill", "mcp__a__b"),
        size: fc.integer({ min: 1, max: 600 }),
      }),
      { maxLength: 3 },
    ),
    thinks: fc.boolean(),
    says: fc.boolean(),
    asks: fc.boolean(),
    reminds: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
);
const goals = fc.record({
  targetTokens: fc.integer({ min: 0, max: 4_000 }),
  reasoning: fc.constantFrom("free" as const, "bound" as const, "bound-loop" as const),
});

test("whatever the work: smaller, calls with their results, nothing said is lost, each call that went is listed", () => {
  fc.assert(
    fc.property(steps, goals, (made, goal) => {
      const parts = [
        message("begin"),
        ...made.flatMap(({ calls, thinks: thought, says: said, asks, reminds }, at): readonly Part[] => {
          const pairs = calls.map(({ tool, size }, n) =>
            did(`${at}.${n}`, tool, { file_path: `f${n}.ts` }, words(size, `w${at}`)),
          );
          return [
            ...(thought ? [thinks(`thought ${at}`)] : []),
            ...(said || calls.length === 0 ? [says(`said ${at}`)] : []),
            ...pairs.flatMap(([call]) => call ?? []),
            ...pairs.flatMap(([, result]) => result ?? []),
            ...(reminds ? [reminder(`reminder ${at}`)] : []),
            ...(asks ? [message(`asked ${at}`)] : []),
          ];
        }),
      ];
      const { segments, memo } = worked(...parts);
      const { made: result, shown, originals } = collapsed(parts, goal);
      if (result.type === "nothing") return;
      const tokens = (texts: readonly string[]) => texts.reduce((sum, text) => sum + estimate(text), 0);
      expect(tokens(shown)).toBeLessThan(tokens(parts.map(({ text }) => text)));
      const gone = droppedIds(result.drops);
      const left = segments.filter(({ id }) => !gone.has(id));
      const ids = (kind: string) => left.flatMap((one) => (one.kind === kind ? [one.callId] : [])).sort();
      expect(ids("tool-result")).toEqual(ids("tool-call"));
      for (const { text, as, kind, role } of parts) {
        if (as === "message" || (kind === "text" && role === "assistant")) expect(shown).toContain(text);
      }
      const listed = originals.map(({ text }) => text).join("\n");
      for (const { id, kind, callId = "" } of segments) {
        if (gone.has(id) && kind === "tool-result") expect(listed).toContain(`[${memo.handleOf(callId)}]`);
      }
      // No line in front of a result: results stand first behind the calls they answer.
      for (const { before } of result.blocks) expect(segments[before ?? -1]?.kind).not.toBe("tool-result");
    }),
    { numRuns: 150 },
  );
});

test("M-22 · what declares tools stays with its call, and so does a search for them; the work around it goes", () => {
  const found = did("s1", "ToolSearch", { query: "pages" }, words(400));
  const shown = did("d1", "mcp__web__open", {}, words(400));
  const parts = [message("go on"), read(1), found, read(2), shown, read(3), read(9)];
  const { segments, memo } = worked(...parts);
  const showsTools = ({ callId }: { readonly callId?: string }) => callId === "d1";
  const made = collapse(segments, { ...memo, showsTools }, tight);
  if (made.type === "nothing") throw new Error(made.why);
  const gone = droppedIds(made.drops);
  const left = segments.filter(({ id }) => !gone.has(id)).flatMap(({ callId }) => callId ?? []);
  expect(left).toEqual(["s1", "s1", "d1", "d1", "r9", "r9"]);
});
