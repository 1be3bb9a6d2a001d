import { describe, expect, test } from "vitest";
import type { Reductions } from "../../src/agent/reductions.ts";
import type { Session } from "../../src/agent/session.ts";
import { progressLine } from "../../src/cli/progress.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { Model } from "../../src/ports/model.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { summaryHeadings } from "../../src/reduction/summary-request.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { recallTool } from "../../src/tools/recall.ts";
import type { ParsedCall, Tool } from "../../src/tools/tool.ts";
import { decodedBody } from "../support/bodies.ts";
import { indexOfTexts } from "../support/index-of-texts.ts";
import { fakeTool, type TestWorld, testModel, testWorld } from "../support/world.ts";

const folding: Reductions = { clearing: "off", collapsing: "off", summaries: "off" };
const summing: Reductions = { clearing: "off", collapsing: "off", summaries: "model" };
const everything: Reductions = { clearing: "all", collapsing: "on", summaries: "model" };

const windowTokens = 24_000;
/** Two of three such files fill the window, as 400 of 1,000 tokens do. */
const fileTokens = 7_000;
const paths = ["f1.txt", "f2.txt", "f3.txt"];

/** What matters stands in the middle: no cut to head and tail keeps it, and no note that quotes first and last line. */
const contentOf = (path: string, tokens = fileTokens, version = 1) => {
  const lines = Array.from({ length: Math.ceil(tokens / 20) }, (_, n) => {
    const words = `${path} line ${n}: ${"some words of prose that stand here and there, ".repeat(2)}`;
    return n === Math.ceil(tokens / 40) ? `inside ${path} v${version}` : words;
  });
  return lines.join("\n");
};
const shows = (body: string, path: string) => body.includes(`inside ${path} v`);
const summary = `<summary>\n${summaryHeadings
  .map((heading) => `${heading}\n${paths.map((path) => `- ${path} was read: fact of ${path}`).join("\n")}`)
  .join("\n\n")}\n</summary>`;

type Step = (body: string, step: number) => ScriptedReply;

/** A model that is a function of what it is sent. */
function modelOf(step: Step, summed: ScriptedReply = { text: summary }) {
  const bodies: string[] = [];
  const model: Model = {
    async *stream(request, signal) {
      const promptTokens = Math.ceil(request.body.length / 4);
      const isAsked = request.body.includes("<summary-request");
      if (!isAsked) bodies.push(request.body);
      const reply = isAsked ? summed : step(request.body, bodies.length);
      yield* scriptedModel(["fail" in reply ? reply : { ...reply, promptTokens }]).stream(request, signal);
    },
  };
  return { ...model, bodies };
}

const read = (path: string, step: number, tool = "Read"): ScriptedReply => ({
  text: `step ${step}`,
  calls: [{ id: `c${step}`, tool, input: { path } }],
});

/** Reads again whatever it cannot see; `isEnough` is what it takes for having seen it. */
const rereading =
  (isEnough: (body: string, path: string) => boolean, all = paths): Step =>
  (body, step) => {
    const missing = all.find((path) => !isEnough(body, path));
    return missing === undefined ? { text: "done" } : read(missing, step);
  };
/** The work that is listed names it, or its call stands there. */
const saysOf = (body: string, path: string) =>
  new RegExp(`(?:<folded-history|<summary-of)[^]*${path}|"path":"${path}"`).test(body);
const note = (body: string, path: string) => body.includes(`from \\"${path} line 0`);

const files = (text = contentOf) => fakeTool("Read", true, async ({ path }) => text(String(path)), "whole");
const of = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
const notes = (entries: readonly Entry[]) => of(entries, "form-fixed").filter(({ again }) => again !== undefined);
/** How often each call's result entered, by path. */
const entered = (entries: readonly Entry[]) => {
  const withheld = new Set(notes(entries).map(({ callId }) => callId));
  const counts: Record<string, number> = {};
  for (const { blocks } of of(entries, "response-received"))
    for (const block of blocks) {
      if (block.type !== "tool-call" || withheld.has(block.callId)) continue;
      const path = String(block.input);
      counts[path] = (counts[path] ?? 0) + 1;
    }
  return counts;
};

type Given = Partial<Parameters<typeof testWorld>[0]>;

async function run(model: ReturnType<typeof modelOf>, given: Given = {}) {
  const world = await testWorld({ model, tools: [files()], windowTokens, reductions: folding, stepsMax: 80, ...given });
  const session = await world.open();
  const lines = heard(session);
  const turn = await session.prompt("tell what is in f1.txt, f2.txt and f3.txt");
  return { world, session, turn, lines, entries: await world.entries() };
}

function heard(session: Session): readonly string[] {
  const lines: string[] = [];
  session.listen((event) => lines.push(progressLine(event) ?? ""));
  return lines;
}

const ofNotes = (lines: readonly string[]) => lines.filter((line) => line.includes("the same output as before"));

async function expectSound(bodies: readonly string[], world: TestWorld): Promise<void> {
  for (const body of bodies) expect(wellformed(decodedBody(body))).toBeNull();
  const { state } = await world.open(await world.takeOver());
  const known = new Set<string>([...itemsOf(state().originals)].map(({ handle }) => handle));
  for (const { handle } of notes(await world.entries())) expect(known).toContain(handle);
}

const seenOrNoted = (body: string, path: string) => shows(body, path) || note(body, path);
const budgeted: ModelChoice = { ...testModel, thinking: { budgetTokens: 2_000 } };
const many = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `${name}.txt`);

describe.each([
  ["a summary", { reductions: summing }, { text: summary }],
  ["a summariser that fails", { reductions: summing }, { text: "Sure!" }],
  ["a fold", { reductions: folding }, { text: "" }],
  ["all lines of defence", { reductions: everything }, { text: summary }],
  ["a model whose loop must be closed", { reductions: folding, choice: budgeted }, { text: "" }],
] as const)("C-015 · read, compacted away, read again, with %s", (_name, given, summed) => {
  test.each([
    ["three files of which two fill the window", paths, fileTokens],
    ["eight of which a few do", many, 3_000],
  ] as const)(
    "%s: the run ends, no content enters more than twice, model and user are told",
    async (_files, all, size) => {
      const tools = [files((path) => contentOf(path, size))];
      const model = modelOf(rereading(seenOrNoted, all), summed);
      const { world, turn, lines, entries } = await run(model, { ...given, tools });
      // A clearing may take the notes as well: who forgets them asks again, and is stopped.
      const isCleared = given.reductions.clearing === "all";
      expect(turn.reason).toMatch(isCleared ? /^(?:done|window-too-small)$/ : /^done$/);
      expect(Math.max(...Object.values(entered(entries)))).toBe(bounds.repeatsShownMin);
      expect(notes(entries).length).toBeGreaterThan(0);
      for (const { text } of notes(entries))
        expect(model.bodies.join("\n")).toContain(JSON.stringify(text).slice(1, -1));
      expect(ofNotes(lines)).toHaveLength(notes(entries).length);
      await expectSound(model.bodies, world);
    },
  );

  test("a model that insists is stopped by bounds.repeatAnswersMax; nothing is lost, and the next message goes on", async () => {
    const model = modelOf(rereading(shows), summed);
    const { world, session, turn, lines, entries } = await run(model, given);
    expect(turn.reason).toBe("window-too-small");
    expect(turn.detail).toMatch(
      new RegExp(`asked ${bounds.repeatAnswersMax} times in a row .* \\(Read f\\d\\.txt\\): .* does not fit`),
    );
    expect(Math.max(...Object.values(entered(entries)))).toBeLessThanOrEqual(bounds.repeatsShownMin);
    expect(ofNotes(lines)).toHaveLength(notes(entries).length);
    const calls = of(entries, "tool-returned").length;
    const before = model.bodies.length;
    expect((await session.prompt("go on")).reason).toBe("window-too-small");
    expect(model.bodies.length).toBeGreaterThan(before + bounds.repeatAnswersMax);
    expect(of(await world.entries(), "tool-returned").length).toBeGreaterThan(calls);
    await expectSound(model.bodies, world);
  });

  test("a model that trusts what stands of them is done without a note", async () => {
    const { turn, entries } = await run(modelOf(rereading(saysOf), summed), given);
    expect(turn.reason).toBe("done");
    expect(Math.max(...Object.values(entered(entries)))).toBeLessThanOrEqual(bounds.repeatsShownMin);
    expect(notes(entries)).toEqual([]);
  });

  test("a resumed session in another process decides the same", async () => {
    const whole = await run(modelOf(rereading(seenOrNoted), summed), given);
    const model = modelOf(rereading(seenOrNoted), summed);
    const parts = await run(model, { ...given, stepsMax: 2 });
    let last = parts.turn;
    for (let n = 0; n < 40 && last.reason === "step-limit"; n++) {
      const session = await parts.world.open(await parts.world.takeOver());
      last = (await session.resume()) ?? last;
    }
    expect(last.reason).toBe("done");
    const entries = await parts.world.entries();
    expect(notes(entries).map(({ text }) => text)).toEqual(notes(whole.entries).map(({ text }) => text));
    expect(entered(entries)).toEqual(entered(whole.entries));
  });
});

test("C-015 · a file that changed between two reads is shown each time, whatever was taken away", async () => {
  let version = 0;
  const changing = files((path) => contentOf(path, fileTokens, Math.floor(version++ / 2)));
  const step: Step = (_body, n) => (n > 24 ? { text: "done" } : read(paths[n % 2] ?? "", n));
  const { turn, entries } = await run(modelOf(step), { tools: [changing] });
  expect(turn.reason).toBe("done");
  expect(of(entries, "epoch-opened").length).toBeGreaterThan(3);
  expect(notes(entries)).toEqual([]);
});

describe("C-015 · small results", () => {
  const small = 600;
  const tools = [files((path) => contentOf(path, path.startsWith("big") ? 3_000 : small))];
  /** Each `every` steps the small one, between them something else. */
  const again =
    (every: number, other: (n: number) => string): Step =>
    (_body, n) =>
      n > 40 ? { text: "done" } : read(n % every === 0 ? "small.txt" : other(n), n);

  test("are shown a third time while the work goes on", async () => {
    const { turn, entries } = await run(modelOf(again(8, (n) => `big-${n}.txt`)), { tools });
    expect(turn.reason).toBe("done");
    expect(of(entries, "epoch-opened").length).toBeGreaterThan(3);
    expect(entered(entries)[JSON.stringify({ path: "small.txt" })]).toBeGreaterThan(bounds.repeatsShownMin);
    expect(notes(entries)).toEqual([]);
  });

  test("are withheld where nothing new comes between, so that a round of many of them ends as well", async () => {
    const all = Array.from({ length: 40 }, (_, n) => `part-${n}.txt`);
    const { turn, entries } = await run(modelOf(rereading(shows, all)), { tools, stepsMax: 400 });
    expect(turn.reason).toBe("window-too-small");
    expect(notes(entries).length).toBeGreaterThan(0);
    expect(Math.max(...Object.values(entered(entries)))).toBe(bounds.repeatsShownMin);
  });

  test("that are no longer than the note are always shown", async () => {
    const tiny = [files((path) => (path.startsWith("big") ? contentOf(path, 3_000) : "nothing to commit"))];
    const { entries } = await run(modelOf(again(2, (n) => `big-${n % 12}.txt`)), { tools: tiny });
    expect(of(entries, "epoch-opened").length).toBeGreaterThan(2);
    expect(notes(entries).some(({ again }) => again?.what.includes("small.txt"))).toBe(false);
  });
});

test("C-015 · a model that does as the note says gets the part it needs, and is done", async () => {
  const middle = Math.ceil(fileTokens / 40) + 1;
  const handleIn = (body: string, path: string) =>
    new RegExp(`from \\\\"${path} line 0.{1,600}?recall handle=([0-9a-f]{12})`).exec(body)?.[1];
  const step: Step = (body, n) => {
    const missing = paths.find((path) => !shows(body, path));
    if (missing === undefined) return { text: "done" };
    const handle = handleIn(body, missing);
    if (handle === undefined) return read(missing, n);
    return {
      text: `part ${n}`,
      calls: [{ id: `c${n}`, tool: "recall", input: { handle, startLine: middle, endLine: middle } }],
    };
  };
  const tools = [files(), recallTool({ index: indexOfTexts(new Map()) })];
  const { turn, entries } = await run(modelOf(step), { tools });
  expect(turn.reason).toBe("done");
  const recalled = of(entries, "tool-returned").filter(({ tool }) => tool === "recall");
  expect(recalled.length).toBeGreaterThan(0);
  for (const { output } of recalled) expect(output).toMatch(/inside f\d\.txt v1/);
});

test("C-015 · a failing exit code stands behind the note", async () => {
  const failing = fakeTool("Bash", false, async ({ path }) => contentOf(String(path)), "whole");
  const tool: Tool = {
    ...failing,
    parse: (input) => {
      const parsed = failing.parse(input);
      if (parsed.type === "bad") return parsed;
      const call: ParsedCall["run"] = async (context, signal) => ({
        ...(await parsed.call.run(context, signal)),
        exitCode: 3,
      });
      return { type: "ok", call: { ...parsed.call, run: call } };
    },
  };
  const step: Step = (body, n) => {
    const missing = paths.find((path) => !seenOrNoted(body, path));
    return missing === undefined ? { text: "done" } : read(missing, n, "Bash");
  };
  const { turn, entries } = await run(modelOf(step), { tools: [tool] });
  expect(turn.reason).toBe("done");
  expect(notes(entries).length).toBeGreaterThan(0);
  for (const { text } of notes(entries)) expect(text).toMatch(/\]\n\[exit code 3\]$/);
});

test("C-015 · a new message begins afresh: what the user asks for again is shown", async () => {
  const model = modelOf(rereading(seenOrNoted));
  const { session, world, entries } = await run(model);
  const before = notes(entries).length;
  const wanted = notes(entries)[0]?.again?.what.replace("Read ", "") ?? expect.fail("nothing was withheld");
  const ask = modelOf((_body, n) => (n === 1 ? read(wanted, 900) : { text: "done" }));
  expect((await session.prompt("thanks")).reason).toBe("done");
  const next = await world.open({ ...(await world.takeOver()), model: ask });
  expect((await next.prompt(`show ${wanted} again`)).reason).toBe("done");
  expect(notes(await world.entries())).toHaveLength(before);
});
