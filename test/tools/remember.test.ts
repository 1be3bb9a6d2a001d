import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.remove());
const kept = (name: string, text: string) => {
  const folder = join(world.base, "home/projects/testproject/memory");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
};

test("what is to be remembered waits for the user, and the answer says how it is accepted", async () => {
  const said = await world.run("Remember", { text: "Use tabs.", topic: "style" });
  expect(said).toMatchObject({ ending: "done", output: expect.stringMatching(/varve memory accept m[0-9a-f]{9}/) });
  expect(await world.run("Remember", { text: "use  tabs." })).toMatchObject({ ending: "done" });
});

test("what is no words, too long, a secret or known already is refused with the reason; planning writes nothing", async () => {
  const parse = (input: unknown) =>
    world.tools.find(({ declaration }) => declaration.name === "Remember")?.parse(input);
  for (const text of ["", "...", "x".repeat(bounds.memoryTextCharsMax + 1)])
    expect(parse({ text })).toMatchObject({ type: "bad", why: expect.stringContaining("Remember: text: a memory") });
  expect(parse({ text: "x", scope: "world" })).toMatchObject({ type: "bad" });
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  expect(await world.text("Remember", { text: `use ${token}` })).toMatch(/^Not kept: .*secret/);
  kept("style.md", "Use tabs.");
  expect(await world.text("Remember", { text: "use tabs." })).toBe("Not kept: project/style says it already.");
  const parsed = parse({ text: "Use spaces in YAML." });
  if (parsed?.type !== "ok") throw new Error("a note");
  const planned = await parsed.call.run({ ...world.context, mode: () => "plan" }, new AbortController().signal);
  expect(planned).toMatchObject({ ending: "failed", output: expect.stringContaining("planning") });
});

test("a memory is read by its name, whole; an unknown name is answered with those there are", async () => {
  expect(await world.text("ReadMemory", { name: "ports" })).toMatch(/There are none\.$/);
  kept("ports.md", "---\nname: Ports\n---\n5433 is Postgres.");
  expect(await world.run("ReadMemory", { name: "project/ports" })).toMatchObject({
    ending: "done",
    output: expect.stringContaining("5433 is Postgres."),
  });
  expect(await world.text("ReadMemory", { name: "../../../etc/passwd" })).toMatch(/There are: project\/ports\.$/);
});
