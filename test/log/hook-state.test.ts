import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { EntryOf } from "../../src/log/entry.ts";
import type { HookEvent } from "../../src/log/hook.ts";
import {
  afterCompaction,
  afterMessage,
  afterRequest,
  afterTurn,
  type HookState,
  hookEnded,
  hookStarted,
  noHooks,
} from "../../src/log/hook-state.ts";

const place = { seq: 1, at: 1, command: "c" };
const started = (hooks: HookState, event: HookEvent, run = "h1", callId?: string) =>
  hookStarted(hooks, {
    ...place,
    type: "hook-started",
    run,
    event,
    ...(callId === undefined ? {} : { callId: brand(callId) }),
  });
const ended = (hooks: HookState, event: HookEvent, more: Partial<EntryOf<"hook-ended">> = {}, inTurn = true) =>
  hookEnded(
    hooks,
    { ...place, type: "hook-ended", run: "h1", event, outcome: "done", exitCode: 0, ms: 1, detail: "", ...more },
    inTurn,
  );

test("a run is open until its end, and its event is told once, also by several hooks", () => {
  const open = started(started(noHooks, "Stop"), "Stop", "h2");
  expect(Object.keys(open.open)).toEqual(["h1", "h2"]);
  expect(open.told).toEqual(["Stop"]);
  const one = ended(open, "Stop");
  expect(Object.keys(one.open)).toEqual(["h2"]);
  expect(ended(one, "Stop")).toBe(one);
});

test("a request is the end of a matter; a compaction of what is told of compactions, a turn of all", () => {
  const told = started(started(started(noHooks, "Stop"), "PreCompact"), "SessionStart");
  expect(afterRequest(told).told).toEqual([]);
  expect(afterCompaction(told, null)).toMatchObject({ told: ["Stop"], compacted: null });
  expect(afterCompaction(told, "manual")).toMatchObject({ told: ["Stop"], compacted: "manual" });
  expect(afterRequest(afterCompaction(told, "auto")).compacted).toBeNull();
  expect(afterTurn(told).told).toEqual([]);
});

test("what changes nothing gives the same state", () => {
  expect(afterRequest(noHooks)).toBe(noHooks);
  expect(afterTurn(noHooks)).toBe(noHooks);
  expect(afterMessage(noHooks)).toBe(noHooks);
});

test("a guard that was cut off leaves its call unsure until the next request; another outcome does not", () => {
  const open = started(noHooks, "PreToolUse", "h1", "c1");
  expect(ended(open, "PreToolUse").unsure).toEqual([]);
  const unsure = ended(open, "PreToolUse", { outcome: "unknown" });
  expect(unsure.unsure).toEqual(["c1"]);
  expect(afterRequest(unsure).unsure).toEqual([]);
});

test("the first hook that ends a turn is heard, and only where there is a turn", () => {
  const open = started(noHooks, "PostToolUse");
  expect(ended(open, "PostToolUse", { stops: "enough" }, false).stops).toBeNull();
  const stopped = ended(open, "PostToolUse", { stops: "enough" });
  expect(ended(started(stopped, "PostToolUse"), "PostToolUse", { stops: "too late" }).stops).toBe("enough");
  expect(afterTurn(stopped).stops).toBeNull();
});

test("two hooks that keep one end from coming count once; bounds.stopHookContinuesMax in a row are heard, a message begins anew", () => {
  const both = started(started(noHooks, "Stop"), "Stop", "h2");
  const kept = ended(ended(both, "Stop", { outcome: "blocked" }), "Stop", { outcome: "blocked", run: "h2" });
  expect(kept).toMatchObject({ goesOn: true, continues: 1 });
  let hooks = kept;
  for (let times = 1; times < bounds.stopHookContinuesMax; times++)
    hooks = ended(started(afterRequest(hooks), "Stop"), "Stop", { outcome: "blocked" });
  expect(hooks).toMatchObject({ goesOn: true, continues: bounds.stopHookContinuesMax });
  const over = ended(started(afterRequest(hooks), "Stop"), "Stop", { outcome: "blocked" });
  expect(over.goesOn).toBe(false);
  expect(afterMessage(over).continues).toBe(0);
});
