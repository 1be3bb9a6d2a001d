import { expect, test } from "vitest";
import { parseSettings, type SettingsSource } from "../../src/workspace/settings.ts";
import { freedBy, mergeSettings } from "../../src/workspace/settings-merge.ts";

const parsed = (value: unknown, scope: SettingsSource["scope"], written: SettingsSource["written"] = "ours") => {
  const result = parseSettings(JSON.stringify(value), { file: `${scope}.json`, scope, written });
  if (result.type === "bad") throw new Error(result.why);
  return result.settings;
};
const runs = (command: string, matcher = "") => ({
  hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command }] }] },
});
const whole = (value: unknown, scope: SettingsSource["scope"]) =>
  ({ settings: parsed(value, scope), trust: "whole" }) as const;
const commands = (...files: Parameters<typeof mergeSettings>[0]) =>
  mergeSettings(files).hooks.map(({ command }) => command);

test("hooks of all files that are trusted run, the strongest file's first; a stranger's do not", () => {
  const doubted = { settings: parsed(runs("stranger"), "project"), trust: "only what restricts" } as const;
  expect(commands(whole(runs("user"), "user"), doubted, whole(runs("managed"), "managed"))).toEqual([
    "managed",
    "user",
  ]);
  expect(commands(whole(runs("project"), "project"), whole(runs("user"), "user"))).toEqual(["project", "user"]);
});

test("what a file's hooks would run is shown to whoever is asked to trust it", () => {
  expect(freedBy(parsed(runs("npm run guard", "Bash|Write"), "project"))).toEqual([
    "runs at PreToolUse (Bash|Write): npm run guard",
  ]);
  expect(freedBy(parsed({ disableAllHooks: true }, "project"))).toEqual(["switches all hooks off"]);
});

test("disableAllHooks of one trusted file switches off all but the machine's; a stranger's file switches off nothing", () => {
  const off = { disableAllHooks: true };
  expect(commands(whole(off, "user"), whole(runs("project"), "project"), whole(runs("managed"), "managed"))).toEqual([
    "managed",
  ]);
  expect(commands(whole(off, "managed"), whole(runs("user"), "user"))).toEqual([]);
  const doubted = { settings: parsed(off, "project"), trust: "only what restricts" } as const;
  expect(commands(doubted, whole(runs("user"), "user"))).toEqual(["user"]);
});

test("a fault names the file and the place; another agent's is a note", () => {
  const wrong = { hooks: { Stop: [{ hooks: [{ type: "http", url: "x" }] }] } };
  expect(parseSettings(JSON.stringify(wrong), { file: "f.json", scope: "user", written: "ours" })).toEqual({
    type: "bad",
    why: 'f.json: hooks.Stop[0].hooks[0].type: expected "command", got "http"; it does not run',
  });
  expect(parsed(wrong, "user", "foreign").notes).toEqual([
    'user.json: hooks.Stop[0].hooks[0].type: expected "command", got "http"; it does not run',
  ]);
  expect(parseSettings('{"disableAllHooks": "yes"}', { file: "f.json", scope: "user", written: "ours" })).toMatchObject(
    { type: "bad" },
  );
});

test("an event or a field of a hook that stands twice is an error in any file: the first would be lost", () => {
  const one = '[{"hooks": [{"type": "command", "command": "guard"}]}]';
  const texts = [
    `{"hooks": {"PreToolUse": ${one}, "PreToolUse": []}}`,
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "matcher": "None", "hooks": []}]}}',
    '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard", "command": "true"}]}]}}',
  ];
  for (const text of texts)
    for (const written of ["ours", "foreign"] as const)
      expect(parseSettings(text, { file: "f.json", scope: "user", written })).toMatchObject({
        type: "bad",
        why: expect.stringContaining("stands there twice"),
      });
});
