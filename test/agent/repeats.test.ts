import { describe, expect, test } from "vitest";
import type { Reductions } from "../../src/agent/reductions.ts";
import { progressLine } from "../../src/cli/progress.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { Model } from "../../src/ports/model.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { summaryHeadings } from "../../src/reduction/summary-request.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody } from "../support/bodies.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

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

async function run(model: ReturnType<typeof modelOf>, reductions: Reductions, tools = [files()], stepsMax = 60) {
  const world = await testWorld({ model, tools, windowTokens, reductions, stepsMax });
  const session = await world.open();
  const lines: string[] = [];
  session.listen((event) => {
    const line = progressLine(event);
    if (line !== null) lines.push(line);
  });
  const turn = await session.prompt("tell what is in f1.txt, f2.txt and f3.txt");
  return { world, session, turn, lines, entries: await world.entries() };
}

const expectSound = async (bodies: readonly string[], world: TestWorld) => {
  for (const body of bodies) expect(wellformed(decodedBody(body))).toBeNull();
  const { state } = await world.open(await world.takeOver());
  const known = new Set<string>([...itemsOf(state().originals)].map(({ handle }) => handle));
  for (const { handle } of notes(await world.entries())) expect(known).toContain(handle);
};

describe.each([
  ["a summary", summing, { text: summary }],
  ["a summariser that fails", summing, { text: "Sure!" }],
  ["a fold", folding, { text: "" }],
  ["all lines of defence", everything, { text: summary }],
] as const)("C-015 · read, compacted away, read again, with %s", (_name, reductions, summed) => {
  test("a model that reads what it cannot see ends, and no file's content enters more than twice", async () => {
    const model = modelOf(
      rereading((body, path) => shows(body, path) || note(body, path)),
      summed,
    );
    const { world, turn, lines, entries } = await run(model, reductions);
    console.log(
      turn,
      entered(entries),
      lines,
      entries.flatMap((e) =>
        e.type === "request-sent"
          ? [e.predicted.promptTokens]
          : e.type === "epoch-opened"
            ? [e.reason]
            : e.type === "form-fixed"
              ? [e.again ?? "form"]
              : [],
      ),
    );
    expect(turn.reason).toBe("done");
    expect(Math.max(...Object.values(entered(entries)))).toBe(bounds.repeatsShownMin);
    expect(notes(entries).length).toBeGreaterThan(0);
    expect(model.bodies.some((body) => body.includes("[The same output as before: "))).toBe(true);
    expect(lines.filter((line) => line.includes("the same output as before"))).toHaveLength(notes(entries).length);
    await expectSound(model.bodies, world);
  });
});
