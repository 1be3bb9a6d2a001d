import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSession } from "../../src/index.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { SessionOptions } from "../../src/session/options.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { usualGuards } from "../../src/workspace/guards.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import toldBrain from "../support/told-brain.ts";
import { call, tell } from "../support/varve-process.ts";

let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "varve-session-memory-"));
  mkdirSync(join(base, "work"));
  mkdirSync(join(base, "home/memory"), { recursive: true });
  writeFileSync(join(base, "home/memory/deploy.md"), "Deploy with ship.sh.");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** One turn in a session of its own; what the model was sent. */
async function turn(prompt: string, more: Partial<SessionOptions> = {}) {
  const simulation = createSimulation({ brain: toldBrain });
  const notes: string[] = [];
  const session = await createSession({
    model: "claude-sonnet-5-5",
    endpoints: {},
    cwd: join(base, "work"),
    home: join(base, "home"),
    userFolder: null,
    project: brand("aprojectofmine"),
    world: { model: simulatedModel(simulation, () => Date.now()) },
    onNote: (text) => notes.push(text),
    ...more,
  });
  const result = await session.prompt(prompt);
  await session.close();
  return { result, notes, body: simulation.requests().at(-1)?.body ?? "" };
}

const note = tell(call("Remember", { text: "Never on Fridays.", topic: "fridays" }), { text: "ok" });

test("usually what the model keeps waits, and what fits is brought", async () => {
  const { body } = await turn(`how do we deploy? ${tell({ text: "so" })}`);
  for (const part of ["Memory user/deploy", '"Remember"', '"ReadMemory"']) expect(body).toContain(part);
  expect((await turn(note)).body).toContain("varve memory accept");
  expect(existsSync(join(base, "home/projects/aprojectofmine/memory/fridays.md"))).toBe(false);
});

test("memoryFiles keep: it is kept at once; in no project it is refused", async () => {
  const guards = { ...usualGuards, memoryFiles: "keep" } as const;
  expect((await turn(note, { guards })).body).toContain("Kept in project/fridays.");
  expect(readFileSync(join(base, "home/projects/aprojectofmine/memory/fridays.md"), "utf8")).toContain(
    "Never on Fridays.",
  );
  expect((await turn(note, { guards, project: null })).body).toContain("belongs to no project");
});

test("memoryFiles off: nothing is read and the tools are not there", async () => {
  const guards = { ...usualGuards, memoryFiles: "off" } as const;
  const { body } = await turn(`how do we deploy? ${tell({ text: "so" })}`, { guards });
  for (const part of ["ship.sh", '"Remember"', '"ReadMemory"']) expect(body).not.toContain(part);
});

test("a memory that cannot be read is a note to the user, once, and stops nothing; a secret in one is masked", async () => {
  mkdirSync(join(base, "home/memory/folder.md"));
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  writeFileSync(join(base, "home/memory/tokens.md"), `The registry token is ${token}.`);
  const { result, notes, body } = await turn(`where is the registry token? ${tell({ text: "so" })}`);
  expect(result.reason).toBe("done");
  expect(notes.filter((one) => one.includes("folder.md"))).toHaveLength(1);
  expect(body).toContain("The registry token is [secret:");
  expect(body).not.toContain(token);
});
