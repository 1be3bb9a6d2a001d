import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryLook } from "../../src/adapters/memories.ts";
import { projectMemory } from "../../src/adapters/memory-places.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";

let base = "";
const project = brand<"ProjectId">("aprojectofmine");
const write = (name: string, text: string) => writeFileSync(join(projectMemory(base, project), name), text);
const remove = (name: string) => rmSync(join(projectMemory(base, project), name));
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "varve-memories-"));
  mkdirSync(projectMemory(base, project), { recursive: true });
  write("MEMORY.md", "- [Deploying](deploy.md): the canary first\n- [Style](tabs.md): tabs\n");
  write("deploy.md", "Deploys go to the canary machine first; wait ten minutes.");
  write("tabs.md", "The user prefers tabs over spaces.");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const opened = async (wire: Wire) =>
  await wireSession(wire, { knowledge: { look: memoryLook({ home: base, project, cwd: base, user: null }) } });

const canary = /canary machine first/;

/** The proof: the record is keyed by wire. */
const wires = Object.keys(wiresOfToday) as readonly Wire[];

describe.each(wires)("%s: memory files in a session", (wire) => {
  test("M-65 · one that fits comes with the message, once in an epoch however often it fits; nothing that was sent moves", async () => {
    const game = await opened(wire);
    const first = await game.say("how do I deploy this to production?");
    expect([first.news(canary), first.news(/prefers tabs/)]).toEqual([1, 0]);
    const again = await game.say("deploy it again");
    const other = await game.say("what is the time?");
    expect([again.news(canary), other.news(canary)]).toEqual([0, 0]);
    for (const one of [first, again, other]) expect(one).toMatchObject({ keptAll: true, cause: null, breaks: [] });
    const used = (await game.world.entries()).filter(({ type }) => type === "attachments-used");
    expect(used).toHaveLength(1);
  });

  test("M-66 · a memory, the index and a new file change on disk: the new text comes behind, the old one is called off", async () => {
    const game = await opened(wire);
    await game.say("how do I deploy this?");
    write("deploy.md", "Deploys go straight out since June.");
    const changed = await game.say("then deploy it");
    expect([changed.news(/straight out/), changed.news(/no longer counts/)]).toEqual([1, 1]);
    write("deploy.md", "Deploys are frozen.");
    const unasked = await game.say("name three colours");
    expect([unasked.news(/frozen/), unasked.news(/No longer in force: project\/deploy/)]).toEqual([0, 1]);
    write("MEMORY.md", "- [Deploying](deploy.md): frozen for now\n");
    const index = await game.say("name three animals");
    expect(index.news(/frozen for now/)).toBe(1);
    remove("tabs.md");
    const all = [changed, unasked, index, await game.say("tabs or spaces?")];
    for (const one of all) expect(one).toMatchObject({ keptAll: true, cause: null, breaks: [] });
  });
});

test("gone after an epoch in which it is irrelevant, there where the newest message wants it; the index stays", async () => {
  const game = await opened("anthropic");
  await game.say("how do I deploy this?");
  await game.session.chooseModel({ ...game.choice, model: "claude-sonnet-4-6" });
  const wanted = await game.say("deploy it");
  expect(wanted.breaks).toEqual(["model-changed"]);
  expect(wanted.body.match(new RegExp(canary, "g"))).toHaveLength(1);
  await game.session.chooseModel(game.choice);
  const after = await game.say("name three colours");
  expect(after.breaks).toEqual(["model-changed"]);
  expect(after.body).not.toMatch(canary);
  expect(after.body).toMatch(/the canary first/);
  const back = await game.say("and how was it with the deploy?");
  expect(back.news(canary)).toBe(1);
  expect(back).toMatchObject({ keptAll: true, breaks: [] });
});
