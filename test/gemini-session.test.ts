import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSession, type SessionOptions } from "../src/index.ts";
import type { Entry, ModelChoice } from "../src/log/entry.ts";
import type { Model, WireRequest } from "../src/ports/model.ts";
import type { Brain } from "../src/testing/simulate/brain.ts";
import { createSimulation, type Simulation } from "../src/testing/simulate/simulation.ts";
import { simulatedModel } from "./support/simulated-model.ts";

const filesMax = 40;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-gemini-"));
  for (let number = 0; number < filesMax; number++)
    writeFileSync(join(folder, `${number}.txt`), `line of file ${number}\n`.repeat(150));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Each is another one: what is asked for again and again is not shown again (CASES C-015). */
const reading = (number: number) => ({ tool: "Read", input: { path: `${number}.txt` } });
/** Thinks and reads two files in each of so many steps since the newest text of the user, then answers. */
const reader =
  (steps: number): Brain =>
  ({ messages }) => {
    const typed = messages.findLastIndex(({ role, parts }) => role === "user" && parts.every((p) => p.type === "text"));
    return step(messages.slice(typed).filter(({ role }) => role === "assistant").length, steps);
  };
/** The same, whatever the request still shows. */
const untiring =
  (steps: number): Brain =>
  ({ served }) =>
    step(served, steps);
const step = (done: number, steps: number) =>
  done >= steps
    ? { reasoning: "enough", text: "done" }
    : { reasoning: `step ${done}`, text: "reading", calls: [reading(2 * done), reading(2 * done + 1)] };

const choice = (model: string, more: Partial<ModelChoice> = {}): ModelChoice => ({
  wire: "gemini",
  model,
  effort: null,
  thinking: "adaptive",
  outputTokensMax: 4_000,
  ...more,
});

async function opened(simulation: Simulation, model: string | ModelChoice, more: Partial<SessionOptions> = {}) {
  const sent: WireRequest[] = [];
  const entries: Entry[] = [];
  let now = Date.UTC(2026, 10, 29);
  const inner = simulatedModel(simulation, () => (now += 1_000));
  const world: { model: Model } = {
    model: {
      stream(request, signal) {
        sent.push(request);
        return inner.stream(request, signal);
      },
    },
  };
  const session = await createSession({
    model,
    listed: null,
    endpoints: {},
    cwd: folder,
    userFolder: null,
    home: join(folder, "home"),
    mode: "bypassPermissions",
    world,
    ...more,
  });
  session.listen((event) => event.type === "entry" && entries.push(event.entry));
  return { session, sent, entries };
}

const breaksIn = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : []));
const failuresIn = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.type === "request-failed" ? [entry.failure] : []));
const dummies = (request: WireRequest | undefined) =>
  request?.body.split("skip_thought_signature_validator").length ?? 0;

test("C-025 · a session of many steps is never refused, and every call goes back with the signature it came with", async () => {
  const simulation = createSimulation({ brain: reader(12) });
  const { session, sent, entries } = await opened(simulation, "gemini-4-argon");
  expect(await session.prompt("read")).toMatchObject({ reason: "done" });
  expect(await session.prompt("and again")).toMatchObject({ reason: "done" });
  expect(failuresIn(entries)).toEqual([]);
  expect(breaksIn(entries)).toEqual(["start"]);
  expect(sent.length).toBe(26);
  expect(dummies(sent.at(-1))).toBe(1);
  await session.close();
});

test("C-025 · to another model of the wire no signature goes along; its calls carry the documented dummy, in a declared break", async () => {
  const simulation = createSimulation({ brain: reader(2) });
  const { session, sent, entries } = await opened(simulation, choice("gemini-3.5-flash"));
  await session.prompt("read");
  await session.chooseModel(choice("gemini-4-argon"));
  expect(await session.prompt("and you")).toMatchObject({ reason: "done" });
  expect(failuresIn(entries)).toEqual([]);
  expect(breaksIn(entries)).toEqual(["start", "model-changed"]);
  const edits = entries.flatMap((entry) => (entry.type === "epoch-opened" ? entry.edits : []));
  expect(edits.map(({ type }) => type)).toContain("unsigned");
  // One for each step of the former model, in every request from then on.
  expect(sent.slice(3).map((request) => dummies(request) - 1)).toEqual([2, 2, 2]);
  await session.close();
});

test("C-025 · a session that another wire began goes on here, and back", async () => {
  const simulation = createSimulation({ brain: reader(2) });
  const { session, entries } = await opened(simulation, "claude-sonnet-4-6");
  await session.prompt("read");
  await session.chooseModel(choice("gemini-3.1-pro-preview"));
  expect(await session.prompt("go on")).toMatchObject({ reason: "done" });
  await session.chooseModel(choice("claude-sonnet-4-6", { wire: "anthropic" }));
  expect(await session.prompt("back")).toMatchObject({ reason: "done" });
  expect(failuresIn(entries)).toEqual([]);
  expect(breaksIn(entries)).toEqual(["start", "model-changed", "model-changed"]);
  await session.close();
});

test("a signature the service does not take any more costs one refusal: the history goes on without (PROTOCOLS C.2)", async () => {
  const simulation = createSimulation({ brain: reader(2) });
  const { session, sent, entries } = await opened(simulation, "gemini-4-argon");
  await session.prompt("read");
  const id = session.id;
  await session.close();
  // Another account: what the first one signed is nothing to it.
  const other = createSimulation({ brain: reader(1) });
  const refusing: Model = {
    async *stream(request, signal) {
      sent.push(request);
      if (/"thoughtSignature":"(?!skip)/.test(request.body) && sent.length < 6) {
        const error = { code: 400, status: "INVALID_ARGUMENT", message: "Invalid/Corrupted thought signature." };
        yield { type: "http-error", status: 400, headers: {}, body: { error } };
        return;
      }
      yield* simulatedModel(other, () => Date.UTC(2026, 10, 30)).stream(request, signal);
    },
  };
  const again = await opened(other, "gemini-4-argon", {
    open: { type: "resume", session: id },
    world: { model: refusing },
  });
  expect(await again.session.prompt("more")).toMatchObject({ reason: "done" });
  expect(failuresIn(again.entries).map((failure) => failure.class)).toEqual(["binding"]);
  expect(breaksIn(again.entries)).toEqual(["renderer-changed"]);
  expect(failuresIn(entries)).toEqual([]);
  expect(dummies(sent.at(-1)) - 1).toBe(2);
  await again.session.close();
});

test("C-005 · under pressure the open loop is closed by a fold, never cut inside: no request is refused", async () => {
  const simulation = createSimulation({ brain: untiring(14) });
  const { session, entries, sent } = await opened(simulation, choice("sim-gemini-small", { outputTokensMax: 2_000 }), {
    windows: { "sim-gemini-small": { windowTokens: 32_000 } },
  });
  const ended = await session.prompt("read a lot");
  expect(ended).toMatchObject({ reason: "done" });
  expect(failuresIn(entries)).toEqual([]);
  expect(breaksIn(entries).filter((reason) => reason === "compacted").length).toBeGreaterThan(0);
  // Behind a fold no call is left open, so none needs a signature it may have lost.
  expect(Math.max(...sent.map((request) => dummies(request)))).toBe(1);
  await session.close();
});
