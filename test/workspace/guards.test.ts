import { describe, expect, test } from "vitest";
import { mergeGuards, usualGuards } from "../../src/workspace/guards.ts";
import type { Scope } from "../../src/workspace/rule.ts";
import { parseSettings } from "../../src/workspace/settings.ts";

const all = {
  redact: "off",
  env: { pass: ["NPM_TOKEN"], set: { CI: "1" } },
  sandbox: "auto",
  sandboxNetwork: "on",
  sandboxAutoAllow: true,
  memoryFiles: "keep",
};
const parsed = (settings: unknown, scope: Scope, written: "ours" | "foreign" = "ours") =>
  parseSettings(JSON.stringify(settings), { file: "f", scope, written });

describe("masking, environment and sandbox in settings", () => {
  test.each(["managed", "command line", "user"] as const)("count where they are the user's: %s", (scope) => {
    expect(parsed(all, scope)).toMatchObject({ type: "ok", settings: { guards: all, notes: [] } });
  });

  test.each(["local", "project"] as const)("have no effect in a project's file, and that is said: %s", (scope) => {
    const result = parsed(all, scope);
    expect(result).toMatchObject({ type: "ok", settings: { guards: {} } });
    if (result.type === "ok") expect(result.settings.notes).toHaveLength(Object.keys(all).length);
  });

  test("words of another agent's settings are not taken for ours", () => {
    expect(parsed({ env: { FOO: "1" }, sandbox: { enabled: true } }, "user", "foreign")).toMatchObject({
      type: "ok",
      settings: { guards: {}, notes: [] },
    });
  });

  test("of each value the strongest place that names it holds; what nobody names is as usual", () => {
    expect(mergeGuards([{ sandbox: "on" }, { sandbox: "off", redact: "off" }])).toEqual({
      ...usualGuards,
      sandbox: "on",
      redact: "off",
    });
    expect(mergeGuards([])).toEqual(usualGuards);
  });

  test.each([
    { redact: "no" },
    { sandbox: true },
    { sandboxNetwork: "yes" },
    { sandboxAutoAllow: "yes" },
    { memoryFiles: "on" },
    { env: ["A"] },
    { env: { FOO: "1" } },
    { env: { pass: "A" } },
    { env: { pass: ["A B"] } },
    { env: { set: { A: 1 } } },
    { env: { set: { "A=B": "1" } } },
  ])("%j is a mistake that names the place", (settings) => {
    expect(parsed(settings, "user")).toMatchObject({
      type: "bad",
      why: expect.stringContaining(`f: ${Object.keys(settings)[0]}`),
    });
  });
});
