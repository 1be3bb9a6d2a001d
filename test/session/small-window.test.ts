import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSession } from "../../src/index.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { simulatedModel } from "../support/simulated-model.ts";

/** A session in a window of 8,000 tokens, over real folders. */
async function small(files: Readonly<Record<string, string>>) {
  const base = await realpath(await mkdtemp(join(tmpdir(), "varve-small-window-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const cwd = join(base, "work");
  await mkdir(join(cwd, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const simulation = createSimulation({ brain: () => ({ text: "Understood. ".repeat(20) }) });
  const notes: string[] = [];
  const session = await createSession({
    model: "claude-sonnet-4-6",
    endpoints: {},
    cwd,
    userFolder: join(base, "user"),
    home: join(base, "user", ".varve"),
    onNote: (text) => notes.push(text),
    memory: "window",
    window: { windowTokens: 8_000, outputTokensMax: 1_000 },
    world: { model: simulatedModel(simulation, () => Date.now()) },
  });
  onTestFinished(() => session.close());
  return { session, notes };
}

const line = "the parser reads a token and hands it on ";

test.each([
  ["one line", " "],
  ["many lines", "\n"],
])("2 MB of instructions in %s: the user is told, and the session runs", async (_, end) => {
  const { session, notes } = await small({ "CLAUDE.md": `${line}${end}`.repeat(50_000) });
  for (let n = 1; n <= 4; n++) expect(await session.prompt(`Round ${n}`)).toMatchObject({ reason: "done" });
  expect(notes.join("\n")).toMatch(/CLAUDE\.md has about [\d,]+ tokens: the model is shown the first \d+/);
});

test("law 10 · messages that nearly fill it end each turn, one way or the other, and those that fit are answered", async () => {
  const { session } = await small({});
  const ends: string[] = [];
  for (let n = 1; n <= 8; n++) {
    const { reason } = await session.prompt(n % 2 === 0 ? line.repeat(150) : `Round ${n}`);
    ends.push(reason);
  }
  expect(new Set(ends)).toEqual(new Set(["done", "window-too-small"]));
  expect(ends.filter((_, at) => at % 2 === 0)).toEqual(["done", "done", "done", "done"]);
});
