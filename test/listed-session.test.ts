import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSession, type ListedModel, type SessionOptions } from "../src/index.ts";
import type { Entry, ModelChoice } from "../src/log/entry.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-listed-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const listed: ListedModel = {
  id: "claude-house",
  inputTokensMax: 40_000,
  outputTokensMax: 6_000,
  lifecycle: "active",
  retiresOn: null,
  thinking: ["adaptive", "disabled"],
  efforts: ["low", "high"],
};
const open = (more: Partial<SessionOptions> = {}) =>
  createSession({
    model: "claude-house",
    listed,
    endpoints: {},
    cwd: folder,
    userFolder: null,
    home: join(folder, "home"),
    world: { model: scriptedModel([{ text: "hello" }, { text: "again" }]) },
    ...more,
  });
const choice = (effort: ModelChoice["effort"]): ModelChoice => ({
  wire: "anthropic",
  model: "claude-house",
  effort,
  thinking: "adaptive",
  outputTokensMax: 4_000,
});

test("what a provider lists stands in the log before the model is chosen by it, and once", async () => {
  const session = await open();
  const entries: Entry[] = [];
  session.listen((event) => event.type === "entry" && entries.push(event.entry));
  expect(session.state().described).toEqual({
    "claude-house": { inputTokensMax: 40_000, outputTokensMax: 6_000, from: "the provider's own listing" },
  });
  expect(session.state().model).toMatchObject({ thinking: "adaptive", outputTokensMax: 6_000 });
  await session.prompt("hi");
  await session.close();
  const { seq } = session.state();
  const resumed = await open({ open: { type: "resume", session: session.id } });
  expect(resumed.state()).toMatchObject({ seq, described: { "claude-house": { inputTokensMax: 40_000 } } });
  await resumed.close();
  const changed = { ...listed, inputTokensMax: 80_000 };
  const again = await open({ listed: changed, open: { type: "resume", session: session.id } });
  expect(again.state().described).toMatchObject({ "claude-house": { inputTokensMax: 80_000 } });
  await again.close();
});

test("the listed window is the one that requests keep to", async () => {
  const tooLong = "word ".repeat(60_000);
  const session = await open();
  expect(await session.prompt(tooLong)).toMatchObject({ reason: "window-too-small" });
  await session.close();
  const larger = await open({ listed: { ...listed, inputTokensMax: 400_000 } });
  expect(await larger.prompt(tooLong)).toMatchObject({ reason: "done" });
  await larger.close();
});

test("an effort that the provider does not list is refused with those it lists, before anything is written", async () => {
  await expect(open({ model: choice("max") })).rejects.toMatchObject({
    code: "refused",
    message: 'claude-house does not take the effort "max": its provider lists low, high',
  });
  const session = await open({ model: choice("high") });
  expect(session.state().model?.effort).toBe("high");
  await session.close();
});

test("a model on its way out is one line of warning, others none", async () => {
  const session = await open({ listed: { ...listed, lifecycle: "deprecated", retiresOn: "2027-01-22" } });
  expect(session.warnings).toEqual([
    expect.stringMatching(/^claude-house is deprecated \(to be retired on 2027-01-22\)/),
  ]);
  await session.close();
  const active = await open();
  expect(active.warnings).toEqual([]);
  await active.close();
});
