import { expect, test } from "vitest";
import { maskedEffects } from "../../src/adapters/masked-effects.ts";
import { maskedInput } from "../../src/adapters/masked-input.ts";
import { maskedLimits } from "../../src/adapters/masked-limits.ts";
import type { Effects } from "../../src/agent/effects.ts";
import type { Session } from "../../src/agent/session.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import { createMask } from "../../src/secrets/mask.ts";
import { secretValues } from "../../src/secrets/secret-values.ts";
import type { ParsedCall, ToolContext } from "../../src/tools/tool.ts";
import { rulesOf } from "../../src/workspace/tool-limits.ts";

const key = "TESTKEY-9";
const mask = createMask({ values: secretValues({ PROVIDER_KEY: key }, []), shapes: "masked" });
const answer = { type: "event", data: { type: "content_block_delta", delta: { text: `I say ${key}` } } } as const;
const events: readonly WireEvent[] = [
  answer,
  { type: "event", data: { type: "error", error: { message: `bad ${key}`, details: [{ header: key }] } } },
  { type: "event", data: { type: "response.failed", response: { error: { message: key } } } },
  { type: "http-error", status: 401, headers: {}, body: { error: { message: `key ${key} is wrong`, code: 401 } } },
  { type: "http-error", status: 502, headers: {}, body: `<html>${key}</html>` },
  { type: "network-error", message: `connect ${key}`, timedOut: false },
];
const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
const limits = {
  allowed: ["Read", `Bash(curl -H ${key}:*)`],
  disallowed: [`Bash(echo ${token}:*)`, "Write(./a/**)", `mcp__${key}__x`],
};
const masked = "[secret: PROVIDER_KEY]";
const shownLimits = { allowed: ["Read", `Bash(curl -H ${masked}:*)`], disallowed: ["Bash", "Write(./a/**)", "*"] };
// Only what the mask goes around is called here.
const fx = maskedEffects(
  {
    model: {
      async *stream() {
        yield* events;
      },
    },
    runTool: (call: ParsedCall, context: ToolContext, signal: AbortSignal) => call.run(context, signal),
    ask: async () => ({ allowed: false, why: `no ${key}` }),
    observe: async () => [{ key: "git", text: `branch ${key}` }],
    fileText: async (path: string) => (path === "gone" ? null : `key = ${key}`),
    knowledge: {
      skills: async () => ({
        type: "all",
        skills: [{ skill: { name: "s", body: `b ${key}`, limits }, list: "list", frees: async () => true }],
        broken: [{ name: "t", why: `no rule: ${key}` }],
        notes: [`allows nothing: ${token}`],
      }),
      look: async () => ({
        attachments: [{ text: key, limits: { ...limits, grants: true } }],
        covers: [],
        notes: [key],
      }),
    },
    hooks: {
      due: () => [],
      run: async () => ({ end: { type: "timed-out" }, output: key, errorOutput: "", told: "beginnings" }),
    },
    projectFacts: async () => [{ id: "f1", text: `use ${key}`, scope: "project", from: "elsewhere" }],
  } as unknown as Effects,
  mask,
);
const never = new AbortController().signal;

test("C-127 · errors of a provider that repeat a key are masked wherever it stands in them; an answer goes on as it came", async () => {
  const seen: WireEvent[] = [];
  const request = { wire: "anthropic", body: "{}", headers: {} } as const;
  for await (const event of fx.model.stream(request, never)) seen.push(event);
  expect(seen[0]).toEqual(answer);
  expect(seen).toHaveLength(events.length);
  for (const event of seen.slice(1)) {
    expect(JSON.stringify(event)).toContain("[secret: PROVIDER_KEY]");
    expect(JSON.stringify(event)).not.toContain(key);
  }
  expect(seen[3]).toMatchObject({ status: 401, body: { error: { code: 401 } } });
});

test("what is observed, what files hold, what other sessions pinned, what is answered, what a tool gives back and shows while it runs is masked", async () => {
  expect(await fx.observe()).toEqual([{ key: "git", text: `branch ${masked}` }]);
  expect(await fx.fileText("a", 100)).toBe(`key = ${masked}`);
  expect(await fx.fileText("gone", 100)).toBeNull();
  expect(await fx.projectFacts()).toMatchObject([{ text: `use ${masked}` }]);
  const question = { callId: "c", tool: "Bash", title: "t", why: "w" };
  expect(await fx.ask(question, never)).toEqual({ allowed: false, why: `no ${masked}` });
  const shown: string[] = [];
  const call: ParsedCall = {
    access: { type: "none" },
    title: "t",
    run: async ({ onProgress }) => {
      onProgress(`half ${key}`);
      return { ending: "done", output: `out ${key}`, exitCode: null, files: [], images: [], form: "whole" };
    },
  };
  const context = { onProgress: (text: string) => shown.push(text) } as unknown as ToolContext;
  expect((await fx.runTool(call, context, never)).output).toBe(`out ${masked}`);
  expect(shown).toEqual([`half ${masked}`]);
});

test("C-127 · what skills and commands say of tools is masked too, and what is disallowed stays disallowed", async () => {
  const found = await fx.knowledge?.skills?.([]);
  expect(found).toMatchObject({
    skills: [{ skill: { body: `b ${masked}`, limits: shownLimits } }],
    broken: [{ why: `no rule: ${masked}` }],
  });
  expect(JSON.stringify(found)).not.toContain(token);
  const told = await fx.knowledge?.look({ message: "m", touched: [], held: [] });
  expect(told).toMatchObject({
    attachments: [{ text: masked, limits: { ...shownLimits, grants: true } }],
    notes: [masked],
  });
  const { maskedCall } = maskedInput({} as unknown as Session, mask, () => {});
  const call = { name: "x", typed: "", source: "f", body: "b", argumentNames: [], variables: {} };
  const shown = maskedCall({ ...call, limits: { ...limits, grants: false } });
  expect(shown.limits).toEqual({ ...shownLimits, grants: false });
});

test("C-127 · a command that was disallowed with a secret in it is refused by the rule that is kept", async () => {
  const { disallowed } = rulesOf(maskedLimits(limits, mask), { file: "f", scope: "user" });
  expect(disallowed.map(({ tool, spec }) => [tool, spec.type])).toEqual([
    ["Bash", "any"],
    ["Write", "path"],
    ["*", "any"],
  ]);
});

test("what a hook printed is masked, and how much it was told is known behind the mask", async () => {
  const hook = { event: "PreToolUse", command: "c", timeoutMs: 1, file: "f" } as const;
  expect(await fx.hooks?.run(hook, {}, never)).toMatchObject({ output: masked, told: "beginnings" });
});
