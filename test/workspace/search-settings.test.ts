import { expect, test } from "vitest";
import { parseSettings, type SettingsSource } from "../../src/workspace/settings.ts";
import { freedBy, mergeSettings } from "../../src/workspace/settings-merge.ts";

const project: SettingsSource = { file: "p", scope: "project", written: "ours" };
const parsed = (webSearch: unknown, source: SettingsSource = project) => {
  const result = parseSettings(JSON.stringify({ webSearch }), source);
  if (result.type === "bad") throw new Error(result.why);
  return result.settings;
};
const search = { endpoint: "https://search.example.org/s", keyEnv: "SEARCH_KEY" };

test("a server to search with is the user's choice; a project's counts once it was approved, and says what it would do", () => {
  const settings = parsed(search);
  expect(mergeSettings([{ settings, trust: "whole" }]).webSearch).toEqual(search);
  expect(mergeSettings([{ settings, trust: "only what restricts" }]).webSearch).toBeNull();
  expect(freedBy(settings)).toEqual([
    "sends searches of the web to https://search.example.org/s with the key in $SEARCH_KEY",
  ]);
});

test("the strongest scope's server holds; another agent's file has none", () => {
  const user = parsed({ endpoint: "http://127.0.0.1:8888/search" }, { ...project, scope: "user" });
  const merged = mergeSettings([
    { settings: user, trust: "whole" },
    { settings: parsed(search), trust: "whole" },
  ]);
  expect(merged.webSearch).toEqual(search);
  expect(user.webSearch).toEqual({ endpoint: "http://127.0.0.1:8888/search", keyEnv: null });
  expect(parsed(search, { ...project, written: "foreign" }).webSearch).toBeNull();
});

test.each([
  ["no object", "x"],
  ["no address", { endpoint: "search" }],
  ["another scheme", { endpoint: "file:///etc/passwd" }],
  ["no name of a variable", { ...search, keyEnv: "$KEY" }],
  ["a field too many", { ...search, key: "TESTKEY" }],
])("%s is an error that names the place", (_name, value) => {
  expect(parseSettings(JSON.stringify({ webSearch: value }), project)).toMatchObject({
    type: "bad",
    why: expect.stringContaining("p: webSearch"),
  });
});
