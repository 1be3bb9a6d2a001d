import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { proposeMemory } from "../../src/adapters/memory-inbox.ts";
import type { MemoryPlace } from "../../src/adapters/memory-places.ts";
import { memoryOutput } from "../../src/cli/memory-actions.ts";
import { type MemoryFlags, memoryCommand } from "../../src/cli/memory-command.ts";
import { noteOf } from "../../src/memory/memory-file.ts";
import { noMask } from "../../src/secrets/mask.ts";
import { call, inScene, tell } from "../support/varve-process.ts";

test("the words of `varve memory` are checked before anything is touched", () => {
  expect(memoryCommand("add", ["use", "tabs"], { topic: " Style " })).toEqual({
    type: "add",
    text: "use tabs",
    topic: "Style",
    about: null,
  });
  expect(memoryCommand("accept", ["2", "other", "words"], {})).toEqual({
    type: "accept",
    which: "2",
    text: "other words",
  });
  const wrong: readonly (readonly [string, readonly string[], Parameters<typeof memoryCommand>[2]])[] = [
    ["keep", ["x"], {}],
    ["constructor", [], {}],
    ["list", ["x"], {}],
    ["show", [], {}],
    ["remove", ["a", "b"], {}],
    ["add", [], {}],
    ["add", ["x"], { type: "novel" }],
    ["add", ["x"], { topic: "  " }],
    ["accept", [], {}],
    ["accept", ["all", "x"], {}],
    ["refuse", [], {}],
    ["list", [], { topic: "x" }],
    ["list", [], { user: true, project: true }],
  ];
  for (const [action, args, flags] of wrong) expect(() => memoryCommand(action, args, flags)).toThrow();
});

test("what the model wants remembered waits, is accepted by its number, and comes with the message it fits", async () => {
  await inScene("anthropic", async ({ run, ask, provider }) => {
    const note = "Deploys go to the canary machine first.";
    const asked = tell({ ...call("Remember", { text: note, topic: "Deploying" }) }, { text: "ok" });
    expect(await ask(asked)).toMatchObject({ code: 0 });
    expect(await run(["memory", "accept", "1"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^m[0-9a-f]{9} kept in project\/deploying\n$/),
    });
    await ask(`how do we deploy to the canary? ${tell({ text: "so" })}`);
    const shown = JSON.stringify((await provider.records()).at(-1));
    for (const part of ["Memory project/deploying", note, "deploying.md"]) expect(shown).toContain(part);
  });
}, 60_000);

describe("carried out", () => {
  let base = "";
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "varve-memory-cli-"));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));
  const places = (): readonly MemoryPlace[] => [
    { scope: "project", folder: join(base, "p/memory") },
    { scope: "user", folder: join(base, "u/memory") },
    { scope: "claude", folder: join(base, "c/memory") },
  ];
  const run = async (action: string, args: readonly string[] = [], flags: MemoryFlags = {}) =>
    await memoryOutput(memoryCommand(action, args, flags), { places: places(), flags, mask: noMask });
  const propose = async (text: string) => {
    const note = noteOf(text);
    const [place] = places();
    if (note.type === "bad" || place === undefined) throw new Error("a note");
    await proposeMemory(place, { id: note.id, text, topic: null });
    return note.id;
  };
  const fails = async (action: string, args: readonly string[], words: RegExp, flags: MemoryFlags = {}) =>
    await expect(run(action, args, flags)).rejects.toThrow(words);

  test("add, list, show, path and remove, of the user and of the project", async () => {
    expect(await run("list")).toBe("no memories are kept\n");
    const given = { user: true, topic: "Style", type: "feedback" };
    expect(await run("add", ["Tabs,", "not spaces."], given)).toBe("kept in user/style");
    expect(await run("add", ["Tabs,  not spaces."], given)).toBe("user/style says it already");
    expect(await run("add", ["表格用制表符"])).toBe("kept in project/表格用制表符");
    expect(await run("list")).toMatch(/user\/style {2}Tabs, not spaces\. {2}feedback {2}today/);
    expect(JSON.parse(await run("list", [], { json: true }))).toMatchObject({
      folders: [
        { scope: "project", hasIndex: true },
        { scope: "user", memories: [{ name: "user/style", type: "feedback" }] },
      ],
      waiting: [],
      notes: [],
    });
    expect(await run("show", ["style"])).toContain("Tabs, not spaces.");
    expect(JSON.parse(await run("show", ["user/style"], { json: true }))).toMatchObject({
      scope: "user",
      title: "Style",
    });
    expect(await run("path")).toBe(
      places()
        .map(({ folder }) => folder)
        .join("\n"),
    );
    expect(await run("remove", ["user/style"])).toBe("user/style removed");
    await fails("show", ["style"], /no memory is meant by "style"/);
  });

  test("accept and refuse by number, by id, all at once, in other words", async () => {
    await fails("accept", ["1"], /nothing waits/);
    const ids = [
      await propose("Rule one holds."),
      await propose("Rule two holds."),
      await propose("Rule three holds."),
    ];
    expect(await run("list")).toContain(`  project  Rule two holds.`);
    await fails("accept", ["9"], /none of the 3/);
    await fails("accept", ["m"], /none of the 3/);
    expect(await run("accept", [ids[1] ?? "", "Rule", "two", "holds", "mostly."])).toContain(
      `${ids[1]} kept in project/rule-two`,
    );
    expect(await run("refuse", [ids[0] ?? ""])).toContain("refused");
    expect(await run("accept", ["all"], { json: true })).toBe(`{"done":"${ids[2]} kept in project/rule-three-holds"}`);
    expect(await run("show", ["rule-two-holds-mostly"])).toContain("mostly");
    await fails("refuse", ["all"], /nothing waits/);
  });

  test("a secret is refused, in an accepted note too; Claude Code's files are only read", async () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    await fails("add", [token], /secret/);
    await propose(`use ${token}`);
    await fails("accept", ["1"], /secret/);
    expect(await run("accept", ["1", "the token is in the vault"])).toContain("kept");
    mkdirSync(join(base, "c/memory"), { recursive: true });
    writeFileSync(join(base, "c/memory/theirs.md"), "x");
    expect(await run("show", ["theirs"])).toBe("x");
    await fails("remove", ["theirs"], /Claude Code/);
  });
});
