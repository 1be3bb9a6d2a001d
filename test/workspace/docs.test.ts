import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRule } from "../../src/workspace/rule.ts";
import { parseSettings } from "../../src/workspace/settings.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/permissions.md"), "utf8");

test("the settings in docs/permissions.md are settings", () => {
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  expect(examples).toHaveLength(1);
  for (const text of examples)
    expect(parseSettings(text, { file: "docs", scope: "user", written: "ours" })).toMatchObject({
      type: "ok",
      settings: { notes: [] },
    });
});

test("every form of a rule in docs/permissions.md is one", () => {
  const rows = page
    .split("\n")
    .filter((line) => /^\| `/.test(line) && !/^\| `(?:default|acceptEdits|plan|dontAsk|bypass)/.test(line));
  const rules = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
  );
  expect(rules.length).toBeGreaterThanOrEqual(14);
  for (const text of rules) {
    const kind = /^(?:Tool|Skill)\(/.test(text) ? "deny" : "allow";
    expect(parseRule(text, { kind, file: "docs", scope: "user" }), text).toMatchObject({ type: "ok" });
  }
});
