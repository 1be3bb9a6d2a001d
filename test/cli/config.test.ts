import { describe, expect, test } from "vitest";
import { configText, rowsNamed } from "../../src/cli/config.ts";
import { capsRows } from "../../src/cli/config-caps.ts";
import { type ModelGround, modelRows } from "../../src/cli/config-model.ts";
import { type ConfigRow, shownUrl } from "../../src/cli/config-row.ts";
import { settingsRows } from "../../src/cli/config-settings.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { parseContextBudget } from "../../src/workspace/context-budget.ts";
import type { Scope } from "../../src/workspace/rule.ts";
import { parseSettings } from "../../src/workspace/settings.ts";
import { type CountedSettings, mergeSettings } from "../../src/workspace/settings-merge.ts";

const byKey = (rows: readonly ConfigRow[]) => Object.fromEntries(rows.map(({ key, ...row }) => [key, row]));

describe("settings and the file behind each", () => {
  const file = (
    name: string,
    scope: Scope,
    value: unknown,
    trust: CountedSettings["trust"] = "whole",
  ): CountedSettings => {
    const result = parseSettings(JSON.stringify(value), { file: name, scope, written: "ours" });
    if (result.type === "bad") throw new Error(result.why);
    return { settings: result.settings, trust };
  };
  const rows = (files: readonly CountedSettings[], env = {}, style?: string) =>
    byKey(settingsRows(mergeSettings(files), env, style));

  test("nothing is said: every row is the default", () => {
    const all = Object.values(rows([]));
    expect(all.length).toBeGreaterThan(12);
    expect(all.map(({ from }) => from)).toEqual(all.map(() => "default"));
  });

  test("of a single value the strongest file's is shown, with that file, in whatever order they are read", () => {
    const files = [
      file("user", "user", {
        permissions: { defaultMode: "plan" },
        sandbox: "on",
        outputStyle: "brief",
        memoryFiles: "off",
      }),
      file("--permission-mode", "command line", { permissions: { defaultMode: "acceptEdits" } }),
      file("managed", "managed", { sandbox: "auto" }),
    ];
    for (const order of [files, files.toReversed()])
      expect(rows(order)).toMatchObject({
        "permissions.defaultMode": { value: "acceptEdits", from: "flag --permission-mode" },
        sandbox: { value: "auto", from: "managed" },
        outputStyle: { value: "brief", from: "user" },
        memoryFiles: { value: "off", from: "user" },
        redact: { value: "on", from: "default" },
      });
    expect(rows(files, {}, "learning").outputStyle).toEqual({ value: "learning", from: "flag --output-style" });
  });

  test("lists are counted, and each file's share is said", () => {
    const files = [
      file("a", "user", {
        permissions: { allow: ["Read", "Grep"], deny: ["Bash(rm:*)"], additionalDirectories: ["/x"] },
      }),
      file("b", "local", { permissions: { allow: ["Bash(npm test)"] } }),
    ];
    expect(rows(files)).toMatchObject({
      "permissions.allow": { value: 3, from: "b, a", note: "rules: 1 of b, 2 of a" },
      "permissions.deny": { value: 1, from: "a" },
      "permissions.ask": { value: 0, from: "default" },
      "permissions.additionalDirectories": { value: 1, from: "a" },
    });
  });

  test("what a file that was not approved would free does not count, what it refuses does", () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "x" }] }] };
    const wanted = {
      permissions: { allow: ["Bash"], deny: ["Read(y)"], defaultMode: "bypassPermissions" },
      webSearch: { endpoint: "http://x.example" },
      hooks,
    };
    expect(rows([file("p", "project", wanted, "only what restricts")])).toMatchObject({
      "permissions.allow": { value: 0, from: "default" },
      "permissions.deny": { value: 1, from: "p" },
      "permissions.defaultMode": { value: "default", from: "default" },
      webSearch: { value: null, from: "default" },
      hooks: { value: 0, from: "default" },
    });
    expect(rows([file("p", "project", wanted)])).toMatchObject({
      "permissions.defaultMode": { value: "bypassPermissions", from: "p" },
      webSearch: { value: "http://x.example/", from: "p" },
      hooks: { value: 1, from: "p" },
    });
  });

  test("hooks that are switched off count as none, with the file that did it; managed ones stay", () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "x" }] }] };
    const files = [file("m", "managed", { hooks }), file("u", "user", { hooks, disableAllHooks: true })];
    expect(rows(files)).toMatchObject({
      hooks: { value: 1, from: "m" },
      disableAllHooks: { value: true, from: "u" },
    });
  });

  test("no secret is shown: names of variables, whether a key is set, addresses without passwords", () => {
    const files = [
      file("u", "user", {
        env: { pass: ["P"], set: { TOKEN: "hidden-value" } },
        webSearch: { endpoint: "https://me:pw@x.example/s?key=hidden-value", keyEnv: "SEARCH_KEY" },
      }),
    ];
    const shown = rows(files, { SEARCH_KEY: "hidden-value" });
    expect(shown).toMatchObject({
      "env.set": { value: ["TOKEN"] },
      "env.pass": { value: ["P"] },
      webSearch: { value: "https://x.example/s?...", note: "key in SEARCH_KEY, set" },
    });
    expect(JSON.stringify(shown)).not.toMatch(/hidden-value|pw/);
    expect(shownUrl("no address//me:pw@x?key=1")).toBe("no address//x?...");
  });
});

describe("the model of a new session", () => {
  const ground = (given: Partial<ModelGround>): ModelGround => ({
    flags: {},
    env: {},
    models: { path: "/h/models.json", windows: {}, memory: {} },
    listed: async () => null,
    ...given,
  });
  const rows = async (given: Partial<ModelGround>) => byKey(await modelRows(ground(given)));

  test("without a key there is no model, which is said and stops nothing", async () => {
    expect(await rows({})).toMatchObject({
      model: { value: null, from: "default", note: expect.stringContaining("ANTHROPIC_API_KEY") },
      summaries: { value: "model", from: "default" },
      maxTurns: { value: bounds.stepsPerTurnMax, from: "default" },
    });
    expect((await rows({ env: { OPENAI_API_KEY: "k" } })).model?.note).toContain("--model");
    for (const flags of [
      { effort: "extreme" },
      { wire: "telex" },
      { window: "0" },
      { memory: "much" },
      { clearing: "x" },
    ])
      await expect(rows({ flags, env: { ANTHROPIC_API_KEY: "k" } })).rejects.toThrow("expected");
  });

  test("a flag goes before the environment, that before the default", async () => {
    const env = {
      ANTHROPIC_API_KEY: "hidden",
      VARVE_MODEL: "claude-opus-5",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9/?k=hidden",
    };
    const said = await rows({ env, flags: { effort: "low" } });
    expect(said).toMatchObject({
      model: { value: "claude-opus-5", from: "environment VARVE_MODEL" },
      wire: { value: "anthropic", from: "the model's name" },
      baseUrl: { value: "http://127.0.0.1:9/?...", from: "environment ANTHROPIC_BASE_URL" },
      key: { value: "set", from: "environment ANTHROPIC_API_KEY" },
      effort: { value: "low", from: "flag --effort" },
    });
    expect(JSON.stringify(said)).not.toContain("hidden");
    const flags = { model: "other", wire: "chat", baseUrl: "http://127.0.0.1:8/v1", window: "9000", memory: "window" };
    expect(await rows({ env, flags })).toMatchObject({
      model: { value: "other", from: "flag --model" },
      wire: { value: "chat", from: "flag --wire" },
      baseUrl: { value: "http://127.0.0.1:8/v1", from: "flag --base-url" },
      key: { value: "not set", from: "environment OPENAI_API_KEY" },
      window: { value: 9_000, from: "flag --window" },
      memory: { value: "window", from: "flag --memory" },
    });
    expect((await rows({ env: { ANTHROPIC_API_KEY: "k" } })).model).toMatchObject({ from: "default" });
  });

  test("a window is the user's, the listing's, the table's or assumed, and says which", async () => {
    const flags = { model: "mine", wire: "chat" };
    const models = {
      path: "/h/models.json",
      windows: { mine: { windowTokens: 5_000 } },
      memory: { mine: "window" },
    } as const;
    expect(await rows({ flags, models })).toMatchObject({
      window: { value: 5_000, from: "/h/models.json" },
      memory: { value: "window", from: "/h/models.json" },
    });
    expect((await rows({ flags })).window).toMatchObject({ from: "assumed" });
    expect((await rows({ flags })).memory).toEqual({ value: "auto", from: "default" });
    const listed = {
      id: "mine",
      inputTokensMax: 7_000,
      outputTokensMax: null,
      lifecycle: null,
      retiresOn: null,
      thinking: null,
      efforts: null,
    };
    expect((await rows({ flags, listed: async () => listed })).window).toMatchObject({ value: 7_000, from: "listed" });
    expect((await rows({ flags: { model: "claude-sonnet-5-5" } })).window).toMatchObject({ from: "table" });
  });
});

test("each cap names the line of context-budget.md that says it", () => {
  const budget = parseContextBudget(
    "| what | cap |\n|---|---|\n| summary | 300 |\n| lunch | 2 |\n| Bash | 900 |\n| server db | 80 |\n",
    ["Bash"],
  );
  expect(byKey(capsRows(budget, "b.md"))).toMatchObject({
    "caps.summary": { value: 300, from: "b.md:3" },
    "caps.toolReturn": { value: 2_000, from: "default" },
    "caps.totalPercent": { value: null, from: "default" },
    "caps.tools.Bash": { value: 900, from: "b.md:5" },
    "caps.servers.db": { value: 80, from: "b.md:6" },
  });
  expect(capsRows(null, "b.md").every(({ from }) => from === "default")).toBe(true);
});

test("a key names a setting or a group, and one that is not there is wrong usage", () => {
  const rows = ["a", "a.b", "ab"].map((key): ConfigRow => ({ key, value: 1, from: "default" }));
  expect(rowsNamed(rows, "a").map(({ key }) => key)).toEqual(["a", "a.b"]);
  expect(() => rowsNamed(rows, "b")).toThrow('there is no setting "b"');
});

test("a line each, and behind them what has no effect", () => {
  const rows: readonly ConfigRow[] = [
    { key: "sandbox", value: "off", from: "default" },
    { key: "hooks", value: 2, from: "a, b", note: "hooks: 1 of a,\n1 of b" },
  ];
  const files = [{ path: "/p/s.json", scope: "project", withoutEffect: ["allows Bash"] }];
  expect(configText({ rows, files, notes: ["n"] }, "all")).toBe(
    [
      "sandbox  off  default",
      "hooks    2    a, b; hooks: 1 of a, 1 of b",
      "",
      "Without effect until it is approved (`varve trust`):",
      "  /p/s.json: allows Bash",
      "",
      "Without effect, or to be known:",
      "  n",
    ].join("\n"),
  );
  expect(configText({ rows, files, notes: [] }, "rows").split("\n")).toHaveLength(2);
});
