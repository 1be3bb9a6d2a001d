import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry } from "../../src/log/entry.ts";
import { createSession } from "../../src/session/create-session.ts";
import type { OpenSession, SessionOptions } from "../../src/session/options.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { wallClock } from "../support/real-session.ts";
import { simulatedModel } from "../support/simulated-model.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "varve-fork-")));
  mkdirSync(join(root, "w", ".git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function command(name: string, text: string): void {
  const path = join(root, "w/.claude/commands", `${name}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const stores = () => fileStore({ root: join(root, "home"), clock: wallClock, sync: false });

async function open(
  replies: readonly BrainReply[],
  more: Partial<SessionOptions> = {},
  world: SessionOptions["world"] = {},
) {
  const model = simulatedModel(createSimulation({ brain: scriptedBrain(replies) }), () => Date.now());
  const bodies: string[] = [];
  const asked: { hang: boolean } = { hang: false };
  let free = () => {};
  const session = await createSession({
    model: "claude-sonnet-4-6",
    endpoints: {},
    cwd: join(root, "w"),
    home: join(root, "home"),
    userFolder: null,
    world: {
      stores: stores(),
      model: {
        async *stream(request, signal) {
          bodies.push(request.body);
          if (asked.hang)
            await new Promise<void>((resolve) => {
              free = resolve;
              signal.addEventListener("abort", () => resolve());
            });
          yield* model.stream(request, signal);
        },
      },
      env: { PATH: process.env.PATH },
      ...world,
    },
    ...more,
  });
  return { session, bodies, asked, free: () => free() };
}

async function entriesOf({ id }: OpenSession, lane: string): Promise<readonly Entry[]> {
  const stream = { type: "lane", session: id, lane: lane === "main" ? mainLane : brand<"LaneId">(lane) } as const;
  const entries: Entry[] = [];
  for await (const entry of stores().log.read(stream, null)) entries.push(entry);
  return entries;
}
const hashes = (body: string | undefined) => cut("anthropic", body ?? "").map(({ hash }) => hash);
const userText = (body: string | undefined) =>
  cut("anthropic", body ?? "").flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []));

test("a fork runs in a lane of its own: its log has all of it, this one only beginning, end and result", async () => {
  command("review", "---\ncontext: fork\n---\nReview $ARGUMENTS");
  const { session, bodies } = await open([{ text: "hello" }, { text: "three faults" }, { text: "noted" }]);
  await session.prompt("a secret plan");
  await session.changeFacts({ type: "pin", text: "Never push to main", scope: "session" });
  const done = await session.command("/review src");
  expect(done).toMatchObject({ type: "lane", lane: "lane-1", turn: { reason: "done", text: "three faults" } });
  await session.prompt("go on");
  expect(userText(bodies[1]).join("\n")).toContain("Review src");
  expect(userText(bodies[1]).join("\n")).toContain("Never push to main");
  expect(userText(bodies[1]).join("\n")).not.toContain("a secret plan");
  const result = userText(bodies[2]).find((text) => text.includes("three faults")) ?? "";
  expect(result).toContain("/review src ran in a lane of its own (lane-1) and ended: done.");
  expect(hashes(bodies[2]).slice(0, hashes(bodies[0]).length)).toEqual(hashes(bodies[0]));
  const types = (await entriesOf(session, "main")).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("lane-"))).toEqual(["lane-started", "lane-finished"]);
  expect((await entriesOf(session, "lane-1")).map(({ type }) => type)).toContain("turn-ended");
  await session.close();
});

test("a long result enters in its first form, and all of it is recalled by the handle that stands there", async () => {
  command("review", "---\ncontext: fork\n---\nReview");
  const long = Array.from({ length: 1_000 }, (_, n) => `finding ${n}: 漢字 ${Math.sin(n)}`).join("\n");
  const { session, bodies } = await open([{ text: long }, { text: "noted" }]);
  await session.command("/review");
  await session.prompt("go on");
  const shown = userText(bodies[1]).find((text) => text.includes("lane-1")) ?? "";
  expect(shown.length).toBeLessThan(long.length / 4);
  const original = [...itemsOf(session.state().originals)].find(({ tool }) => tool === "lane-1");
  expect(shown).toContain(original?.handle.slice(0, 8));
  const { text } = original ?? { text: "" };
  const bytes =
    typeof text === "string"
      ? null
      : await stores().blobs.get({ type: "lane", session: session.id, lane: mainLane }, text.blob);
  expect(new TextDecoder().decode(bytes ?? undefined)).toBe(long);
  await session.close();
});

test("another effort or model opens a lane, and this one's prefix and key stay", async () => {
  command("deep", "---\neffort: high\n---\nThink");
  command("same", "---\nmodel: inherit\n---\nThink");
  command("short", "---\nmodel: haiku\n---\nThink");
  command("odd", "---\neffort: enormous\n---\nThink");
  command("agent", "---\nagent: reviewer\n---\nThink");
  const { session, bodies } = await open(Array.from({ length: 4 }, () => ({ text: "ok" })));
  await session.prompt("one");
  expect(await session.command("/deep")).toMatchObject({ type: "lane" });
  expect(await session.command("/same")).toMatchObject({ type: "turn" });
  expect(await session.command("/odd")).toMatchObject({ type: "refused", why: expect.stringContaining("enormous") });
  expect(await session.command("/agent")).toMatchObject({ type: "refused", why: expect.stringContaining("reviewer") });
  expect(await session.command("/short")).toMatchObject({ type: "lane" });
  expect(bodies.at(-1)).toMatch(/"model":"claude-haiku-\d/);
  expect(session.state().model?.effort).toBe(null);
  expect(hashes(bodies[2]).slice(0, hashes(bodies[0]).length)).toEqual(hashes(bodies[0]));
  await session.close();
});

test("planning refuses writes in a lane too", async () => {
  command("fix", "---\ncontext: fork\n---\nFix");
  const write: BrainReply = { calls: [{ tool: "Write", input: { path: "x.txt", content: "x" } }] };
  const { session } = await open([write, { text: "refused" }], { mode: "plan" });
  await session.command("/fix");
  expect(existsSync(join(root, "w/x.txt"))).toBe(false);
  const returned = (await entriesOf(session, "lane-1")).find(({ type }) => type === "tool-returned");
  expect(returned).toMatchObject({ ending: "refused" });
  await session.close();
});

test("a mode and facts that are chosen while a lane runs hold in it from there on", async () => {
  command("fix", "---\ncontext: fork\n---\nFix");
  const write: BrainReply = { calls: [{ tool: "Write", input: { path: "x.txt", content: "x" } }] };
  const { session, asked, bodies, free } = await open([write, { text: "refused" }], { mode: "bypassPermissions" });
  asked.hang = true;
  const running = session.command("/fix");
  while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await session.chooseMode("plan");
  await session.changeFacts({ type: "pin", text: "Never push to main", scope: "session" });
  asked.hang = false;
  free();
  expect(await running).toMatchObject({ type: "lane", turn: { text: "refused" } });
  expect(existsSync(join(root, "w/x.txt"))).toBe(false);
  expect(userText(bodies.at(-1)).join("\n")).toContain("Never push to main");
  await session.close();
});

test("what a command limits is limited in its lane", async () => {
  command("look", "---\ncontext: fork\nallowed-tools: Read\n---\nLook");
  const write: BrainReply = { calls: [{ tool: "Write", input: { path: "x.txt", content: "x" } }] };
  const { session } = await open([write, { text: "refused" }], { mode: "bypassPermissions" });
  await session.command("/look");
  expect(existsSync(join(root, "w/x.txt"))).toBe(false);
  await session.close();
});

test("an interrupt stops the lane, and its end says so", async () => {
  command("slow", "---\ncontext: fork\n---\nGo");
  const { session, asked, bodies } = await open([{ text: "never" }, { text: "fine" }]);
  asked.hang = true;
  const running = session.command("/slow");
  while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await session.interrupt("the user");
  expect(await running).toMatchObject({ type: "lane", turn: { reason: "interrupted" } });
  asked.hang = false;
  expect(await session.prompt("on")).toMatchObject({ reason: "done" });
  expect((await entriesOf(session, "main")).find(({ type }) => type === "lane-finished")).toMatchObject({
    ending: "interrupted",
  });
  await session.close();
});

test("a lane whose process died is named when the session is opened again, and is not run again", async () => {
  const { session, bodies } = await open([{ text: "fine" }, { text: "fine" }]);
  await session.prompt("one");
  const { id } = session;
  const model = session.state().model;
  if (model === null) throw new Error("no model");
  const { seq } = session.state();
  await session.close();
  const stream = { type: "lane", session: id, lane: mainLane } as const;
  const lease = await stores().log.lease(stream, "one that dies");
  if (lease.type !== "leased") throw new Error("the session is closed");
  const started = { lane: brand<"LaneId">("lane-1"), kind: "fresh", title: "/review", task: "Review", model } as const;
  const entries = [{ type: "lane-started", ...started }] as const;
  await stores().log.append({ stream, expectedSeq: seq, fence: lease.fence, entries });
  await lease.release();
  const again = await open([{ text: "fine" }], { open: { type: "resume", session: id } });
  await again.session.prompt("two");
  expect(again.bodies).toHaveLength(1);
  expect(userText(again.bodies[0]).join("\n")).toContain(
    "/review ran in a lane of its own (lane-1) and ended: unknown",
  );
  expect(again.session.state().lanes).toEqual({ started: 1, open: {} });
  expect(bodies).toHaveLength(1);
  await again.session.close();
});

test("no secret is sent or kept: neither one that is typed nor one of the file, in a lane or not", async () => {
  const [token, typed] = [`ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`, "tok-0123456789-secret"];
  command("here", `Log in with ${token}`);
  command("fork", `---\ncontext: fork\n---\nLog in with ${token}`);
  const world = { env: { PATH: process.env.PATH, DEPLOY_TOKEN: typed } };
  const { session, bodies } = await open([{ text: "a" }, { text: "b" }], {}, world);
  expect(await session.command(`/here ${typed}`)).toMatchObject({ type: "turn" });
  expect(await session.command(`/fork ${typed}`)).toMatchObject({ type: "lane" });
  expect(bodies).toHaveLength(2);
  const kept = JSON.stringify([await entriesOf(session, "main"), await entriesOf(session, "lane-1")]);
  for (const text of [...bodies, kept]) {
    expect(text).toContain("Log in with [secret:");
    expect(text).not.toContain(token);
    expect(text).not.toContain(typed);
  }
  await session.close();
});

test("what a lane spends is said by its end, and counted by /cost and /status", async () => {
  command("review", "---\ncontext: fork\n---\nReview");
  const { session } = await open([{ text: "a" }, { text: "b" }]);
  await session.prompt("one");
  const done = await session.command("/review");
  expect(done).toMatchObject({ type: "lane", spent: { steps: 1, usage: { output: expect.any(Number) } } });
  if (done.type === "lane") expect(done.spent.usage.cacheRead + done.spent.usage.cacheWrite5m).toBeGreaterThan(1_000);
  expect(await session.command("/cost")).toMatchObject({ text: expect.stringContaining("; 2 requests, ") });
  const [cost, status] = [await session.command("/cost"), await session.command("/status")];
  const money = cost.type === "told" ? cost.text.split(";")[0] : "no answer";
  expect(status).toMatchObject({ text: expect.stringContaining(`cost          ${money}\n`) });
  await session.close();
});

test("an interrupt holds from the moment a lane is started: nothing of it is sent", async () => {
  command("fork", "---\ncontext: fork\n---\nGo on");
  const { session, bodies } = await open([{ text: "a" }, { text: "b" }]);
  const fork = session.command("/fork");
  while (session.state().lanes.started === 0) await new Promise((resolve) => setImmediate(resolve));
  await session.interrupt("the user");
  expect(await fork).toMatchObject({ type: "refused", by: "interrupt", why: expect.stringContaining("interrupted") });
  expect(bodies).toEqual([]);
  const end = (await entriesOf(session, "main")).find(({ type }) => type === "lane-finished");
  expect(end).toMatchObject({ ending: "interrupted" });
  expect(Object.keys(session.state().lanes.open)).toEqual([]);
  await session.close();
});

test("closing waits for the end of a lane that runs: it is in the log, and nothing is taken any more", async () => {
  command("slow", "---\ncontext: fork\n---\nGo");
  const { session, asked, bodies } = await open([{ text: "never" }]);
  asked.hang = true;
  const running = session.command("/slow");
  while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await session.close();
  const finished = (await entriesOf(session, "main")).find(({ type }) => type === "lane-finished");
  expect(finished).toMatchObject({ ending: "interrupted" });
  expect(await running).toMatchObject({ type: "lane", turn: { reason: "interrupted" } });
  const late = { name: "x", typed: "", source: "", body: "x", argumentNames: [], variables: {} };
  const limits = { allowed: null, disallowed: [], grants: false };
  await expect(session.call({ ...late, limits })).rejects.toThrow("closed");
});
