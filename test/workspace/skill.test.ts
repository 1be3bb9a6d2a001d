import { describe, expect, test } from "vitest";
import type { SkillPlace } from "../../src/ports/skills.ts";
import { bundledSkills } from "../../src/workspace/bundled/skills.ts";
import { parseSkill } from "../../src/workspace/skill.ts";
import { expandTemplate } from "../../src/workspace/template.ts";
import { rulesOf } from "../../src/workspace/tool-limits.ts";

const place: SkillPlace = {
  name: "review",
  file: "/w/.claude/skills/review/SKILL.md",
  folder: "/w/.claude/skills/review",
  scope: "project",
  base: "/w",
};

function parse(fields: string, body = "Do it.") {
  return parseSkill(`---\nname: review\ndescription: Reviews a change.\n${fields}---\n${body}\n`, place);
}

async function faults(fields: string): Promise<string> {
  const read = await parse(fields);
  return read.type === "bad" ? read.why.join("\n") : "runs";
}

test("what a file says is read, and the rest has its usual value", async () => {
  const read = await parse("");
  expect(read.type === "ok" && read.skill).toMatchObject({
    name: "review",
    description: "Reviews a change.",
    body: "Do it.",
    limits: { allowed: null, disallowed: [] },
    paths: null,
    callers: ["model", "user"],
    context: "inline",
  });
  expect(read.type === "ok" && read.notes).toEqual([]);
});

test("every known field is taken, in the forms that people write", async () => {
  const read = await parse(
    "when_to_use: Before a merge.\nlicense: MIT\ncompatibility: git\nmetadata:\n  a: b\nversion: 1.0\n" +
      "allowed-tools: Read, Bash(git diff:*) Grep\ndisallowed-tools:\n  - WebFetch\npaths: src/**, '*.{ts,js}'\n" +
      "argument-hint: [file]\narguments: file mode\nmodel: m\neffort: high\ncontext: fork\nagent: a\nbackground: true\nshell: bash\n" +
      "disable-model-invocation: true\n",
  );
  expect(read.type === "ok" && read.skill).toMatchObject({
    whenToUse: "Before a merge.",
    limits: { allowed: ["Read", "Bash(git diff:*)", "Grep"], disallowed: ["WebFetch"] },
    callers: ["user"],
    argumentHint: "file",
    argumentNames: ["file", "mode"],
    context: "fork",
    model: "m",
    effort: "high",
    agent: "a",
  });
  expect(read.type === "ok" && read.notes).toEqual([]);
});

describe("C-095 · a limit that cannot be read is not dropped: the skill does not run", () => {
  test.each([
    ["the fields are no YAML", "allowed-tools: Read\nglobs: *.ts\n", /SKILL\.md:5: the fields cannot be read/],
    ["a key stands twice", "allowed-tools: Read\nallowed-tools: Bash\n", /SKILL\.md:5: .*unique/],
    ["an open quote", 'description2: "x\nallowed-tools: Read\n', /SKILL\.md:\d+: the fields cannot be read/],
    ["a tab in front", "\tallowed-tools: Read\n", /SKILL\.md:\d+: the fields cannot be read/],
    ["nothing behind the colon", "allowed-tools:\n", /SKILL\.md:4: allowed-tools: expected a text or a list/],
    ["a number", "allowed-tools: true\n", /SKILL\.md:4: allowed-tools: expected/],
    ["a map", "allowed-tools:\n  Read: true\n", /SKILL\.md:4: allowed-tools: expected/],
    ["a map in the list", "allowed-tools:\n  - Read: x\n", /SKILL\.md:4: allowed-tools: expected/],
    ["a blank before the parenthesis", "allowed-tools: Bash (git:*)\n", /without a blank before it, found \(git/],
    ["a parenthesis that is not closed", "allowed-tools: Bash(git status\n", /without a blank before it/],
    ["a refused tool that is none", "disallowed-tools: bash\n", /SKILL\.md:4: disallowed-tools: bash: .*expected Bash/],
    ["another spelling", "allowed_tools: Read\n", /SKILL\.md:4: allowed_tools: not a field; expected allowed-tools/],
    ["another case", "Allowed-Tools: Read\n", /expected allowed-tools/],
    ["camel case", "disallowedTools: Bash\n", /expected disallowed-tools/],
    ["a letter less", "alowed-tools: Read\n", /SKILL\.md:4: alowed-tools: not a field; expected allowed-tools/],
    ["a letter other", "user-invokable: false\n", /expected user-invocable/],
    ["another word for it", "denied-tools: Bash\n", /expected allowed-tools or disallowed-tools/],
    ["a merge", "license: &b\n  allowed-tools: Read\n<<: *b\n", /SKILL\.md:6: <<: not a field/],
    ["an agent's field", "tools: Read\n", /expected allowed-tools/],
    ["one path", "path: src/**\n", /expected paths/],
    ["no boolean", "disable-model-invocation: yes\n", /SKILL\.md:4: .*expected true or false, got "yes"/],
    ["no boolean either", "user-invocable: 0\n", /expected true or false/],
    ["paths as a map", "paths:\n  a: b\n", /SKILL\.md:4: paths: expected/],
    ["hooks", "hooks:\n  PreToolUse: []\n", /SKILL\.md:4: hooks: .*settings/],
    ["another shell", "shell: powershell\n", /SKILL\.md:4: shell: only bash/],
  ])("%s", async (_what, fields, why) => {
    expect(await faults(fields)).toMatch(why);
  });

  test("fields that do not begin the file, or do not end, are none", async () => {
    const blank = await parseSkill("\n---\nname: review\nallowed-tools: Read\n---\nx", place);
    expect(blank).toMatchObject({ type: "bad", why: [expect.stringMatching(/SKILL\.md:1: expected ---/)] });
    const open = await parseSkill("---\nname: review\nallowed-tools: Read\n", place);
    expect(open).toMatchObject({ type: "bad", why: [expect.stringMatching(/SKILL\.md:1: .*second line/)] });
  });

  test("an allowed tool that is none here allows nothing, and the others keep their limit", async () => {
    const read = await parse("allowed-tools: Read, Task(explore), read\n");
    expect(read.type === "ok" && read.skill.limits.allowed).toEqual(["Read"]);
    expect(read.type === "ok" && read.notes).toHaveLength(2);
  });

  test("an empty list allows nothing", async () => {
    for (const fields of ["allowed-tools: []\n", 'allowed-tools: ""\n']) {
      const read = await parse(fields);
      expect(read.type === "ok" && read.skill.limits.allowed).toEqual([]);
    }
  });
});

test.each(["Review", "re--view", "-review", "x".repeat(65), "other"])(
  "the name %s is not this skill's, which is named with file and line",
  async (name) => {
    const read = await parseSkill(`---\nname: ${name}\ndescription: d\n---\n`, place);
    expect(read).toMatchObject({ type: "bad", why: [expect.stringMatching(/SKILL\.md:2: name: expected/)] });
  },
);

test("a missing name is the folder's, a missing description the text's beginning, a long one is cut", async () => {
  const bare = await parseSkill("---\nlicense: MIT\n---\n# Title\n\nFirst\nparagraph.\n\nSecond.\n", place);
  expect(bare).toMatchObject({ type: "ok", skill: { name: "review", description: "First paragraph." } });
  const long = await parseSkill(`---\nname: review\ndescription: ${"d".repeat(1_025)}\n---\n`, place);
  expect(long.type === "ok" && long.skill.description.length).toBe(1_024);
  expect(long.type === "ok" && long.notes).toEqual([expect.stringMatching(/SKILL\.md:3: .*1025 characters/)]);
});

test("a field that is not known is a note with its line", async () => {
  const read = await parse("colour: red\n");
  expect(read.type === "ok" && read.notes).toEqual([expect.stringMatching(/SKILL\.md:4: colour: not a field/)]);
});

test("what our own skills allow are rules, and their text holds no placeholder by accident", async () => {
  for (const { limits, body, description } of Object.values(bundledSkills)) {
    const rules = rulesOf(limits, { file: "f", scope: "user" });
    expect(rules.allowed?.length).toBe(limits.allowed?.length);
    expect(expandTemplate(body, { typed: "", names: [], variables: {} })).toEqual({
      type: "ok",
      parts: [{ type: "text", text: body }],
    });
    expect(description.length).toBeLessThanOrEqual(1_024);
  }
});
