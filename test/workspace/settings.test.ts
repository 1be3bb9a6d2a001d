import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Scope } from "../../src/workspace/rule.ts";
import { type FileSettings, parseSettings, rulesIn, type SettingsSource } from "../../src/workspace/settings.ts";
import { freedBy, mergeSettings } from "../../src/workspace/settings-merge.ts";

const ours: SettingsSource = { file: "/p/.varve/settings.json", scope: "project", written: "ours" };
const foreign: SettingsSource = { file: "/p/.claude/settings.json", scope: "project", written: "foreign" };

const parsed = (permissions: unknown, scope: Scope = "project"): FileSettings => {
  const result = parseSettings(JSON.stringify({ permissions }), { ...ours, file: scope, scope });
  if (result.type === "bad") throw new Error(result.why);
  return result.settings;
};

describe("a settings file", () => {
  test.each<[string, RegExp]>([
    ["{", /settings\.json: not valid JSON/],
    ["[]", /expected an object, got \[\]/],
    ['{"permissions": []}', /permissions: expected an object/],
    ['{"permissions": {"denny": []}}', /permissions\.denny: not known; expected one of deny, ask, allow/],
    ['{"permissions": {"deny": "Bash"}}', /permissions\.deny: expected a list of rules/],
    ['{"permissions": {"deny": [1]}}', /permissions\.deny\[0\]: 1: expected a text/],
    ['{"permissions": {"deny": ["Bash", "Read("]}}', /permissions\.deny\[1\]: "Read\(": expected Tool or Tool\(what\)/],
    ['{"permissions": {"allow": ["mcp__*"]}}', /permissions\.allow\[0\]: "mcp__\*": .*whole server name/],
    ['{"permissions": {"defaultMode": "yolo"}}', /permissions\.defaultMode: expected one of default, .*got "yolo"/],
    [
      '{"permissions": {"additionalDirectories": [1]}}',
      /permissions\.additionalDirectories: expected a list of folders/,
    ],
    ['{"permissions": {"additionalDirectories": "x"}}', /permissions\.additionalDirectories/],
    ['{"permissions": {"disableBypassPermissionsMode": true}}', /expected "disable", got true/],
    [`{"x": "${"x".repeat(bounds.settingsBytesMax)}"}`, /holds more than/],
    [
      JSON.stringify({ permissions: { deny: Array.from({ length: bounds.rulesMax + 1 }, () => "Bash") } }),
      /at most 2000 rules/,
    ],
  ])("%.60s is refused, and says where and what was expected", (text, why) => {
    expect(parseSettings(text, ours)).toMatchObject({ type: "bad", why: expect.stringMatching(why) });
  });

  test("of another agent: words we do not know are no mistake, an allow rule we do not know allows nothing, and a broken deny is one", () => {
    const file = {
      permissions: { allow: ["Skill(x)", "Bash(ls:*)"], other: 1, defaultMode: "auto" },
      hooks: {},
      model: "x",
    };
    const result = parseSettings(JSON.stringify(file), foreign);
    expect(result).toMatchObject({ type: "ok", settings: { mode: null, rules: [{ text: "Bash(ls:*)" }] } });
    expect(result.type === "ok" && result.settings.notes.join("\n")).toMatch(
      /Skill\(x\).*allows nothing[\s\S]*defaultMode "auto"/,
    );
    expect(parseSettings('{"permissions": {"deny": ["Read(!x)"]}}', foreign)).toMatchObject({ type: "bad" });
  });

  test("a byte order mark and no permissions at all are fine; a key we do not know is said", () => {
    expect(parseSettings("\ufeff{}", ours)).toMatchObject({
      type: "ok",
      settings: { rules: [], mode: null, notes: [] },
    });
    const odd = parseSettings('{"rules": {}}', ours);
    expect(odd).toMatchObject({
      type: "ok",
      settings: { notes: [expect.stringContaining("rules: not known here")] },
    });
  });
});

describe("files together", () => {
  const whole = (settings: FileSettings) => ({ settings, trust: "whole" as const });
  const doubted = (settings: FileSettings) => ({ settings, trust: "only what restricts" as const });

  test("lists are joined, the strongest scope first; of modes the strongest scope's holds", () => {
    const merged = mergeSettings([
      whole(parsed({ allow: ["Bash(a)"], defaultMode: "plan" }, "user")),
      whole(parsed({ allow: ["Bash(b)"], defaultMode: "acceptEdits" }, "project")),
      whole(parsed({ deny: ["Bash(c)"] }, "managed")),
      whole(parsed({ allow: ["Bash(d)"], additionalDirectories: ["x"] }, "local")),
      whole(parsed({ ask: ["Bash(e)"] }, "command line")),
    ]);
    expect(merged.rules.map(({ text, scope }) => `${text} ${scope}`)).toEqual([
      ...["Bash(c) managed", "Bash(e) command line", "Bash(d) local", "Bash(b) project", "Bash(a) user"],
    ]);
    expect(merged).toMatchObject({ mode: "acceptEdits", directories: ["x"], bypass: "as chosen" });
  });

  test("of a file that was not approved only what restricts counts", () => {
    const file = parsed({
      allow: ["Bash"],
      deny: ["Read(x)"],
      ask: ["Edit"],
      additionalDirectories: ["/"],
      defaultMode: "bypassPermissions",
    });
    const merged = mergeSettings([doubted(file)]);
    expect(merged.rules.map(({ kind }) => kind)).toEqual(["deny", "ask"]);
    expect(merged).toMatchObject({ directories: [], mode: null });
    expect(freedBy(file)).toEqual(["allows Bash", "adds the folder /", "starts in mode bypassPermissions"]);
    expect(freedBy(parsed({ deny: ["Bash"], defaultMode: "plan" }))).toEqual([]);
  });

  test.each([
    [null, "plan", "plan"],
    [null, "dontAsk", "dontAsk"],
    [null, "acceptEdits", null],
    ["plan", "default", "plan"],
    ["plan", "dontAsk", "plan"],
    ["acceptEdits", "default", "default"],
  ] as const)("user's mode %s, a stranger's %s: %s", (user, strange, mode) => {
    const own = user === null ? [] : [whole(parsed({ defaultMode: user }, "user"))];
    expect(mergeSettings([...own, doubted(parsed({ defaultMode: strange }))]).mode).toBe(mode);
  });

  test("any scope may refuse bypassPermissions", () => {
    const off = parsed({ disableBypassPermissionsMode: "disable" }, "managed");
    expect(mergeSettings([whole(off), whole(parsed({}, "user"))]).bypass).toBe("refused");
  });
});

test.each([
  ["Bash(npm test:*)", ["Bash(npm test:*)"]],
  ["Bash(npm test:*),Read", ["Bash(npm test:*)", "Read"]],
  ["Read Edit(a b)  mcp__a", ["Read", "Edit(a b)", "mcp__a"]],
  ["Bash(git log --format=(%H):*)", ["Bash(git log --format=(%H):*)"]],
  ["Bash(", ["Bash", "("]],
])("rules in one text: %j", (text, rules) => {
  expect(rulesIn(text)).toEqual(rules);
});
