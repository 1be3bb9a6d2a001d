import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InitAnswer, type InitFlags, initRun } from "../../src/cli/init-run.ts";
import { notesFor, outcomeJson, outcomeText } from "../../src/cli/init-text.ts";
import { newPlace, varve } from "../support/varve-process.ts";

let base = "";
let cwd = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "varve-init-")));
  cwd = join(base, "p");
  mkdirSync(cwd);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const place = () => ({ cwd, home: join(base, "home"), user: base, now: new Date(0) });
const run = (flags: InitFlags, answer: InitAnswer = "yes") => initRun(flags, place(), async () => answer);
const all = () => readdirSync(cwd).toSorted();

test("M-93 · it is asked once, before anything is written, and a no writes nothing", async () => {
  const asked: number[] = [];
  const outcome = await initRun({}, place(), async ({ steps }) => {
    asked.push(steps.length);
    expect(all()).toEqual([]);
    return "no";
  });
  expect(asked).toEqual([2]);
  expect([outcome.written, all(), existsSync(join(base, "home"))]).toEqual([null, [], false]);
  expect(outcomeText(outcome)).toBe("nothing was written");
  await run({ dryRun: true }, "only looked at");
  expect(all()).toEqual([]);
});

test("M-67 · the two documents are written with --docs, or with the answer that says so, and never unasked", async () => {
  await run({});
  expect(all()).toEqual(["AGENTS.md", "context-budget.md"]);
  await run({ for: "agents,cursor" }, "with documents");
  expect(readdirSync(join(cwd, "docs")).toSorted()).toEqual(["decisions.md", "project-context.md"]);
  rmSync(join(cwd, "docs"), { recursive: true });
  await run({ docs: true });
  expect(existsSync(join(cwd, "docs/decisions.md"))).toBe(true);
});

test("a second run asks nobody and writes nothing", async () => {
  await run({ for: "claude-code,cursor,agents", gateway: true, docs: true });
  const again = await initRun({ for: "claude-code,cursor,agents", gateway: true, docs: true }, place(), async () => {
    throw new Error("asked");
  });
  expect(again).toMatchObject({ written: null, steps: again.steps.map(() => ({ type: "same" })) });
  expect(readdirSync(join(base, "home/backups"))).toHaveLength(1);
});

test("what cannot be written is named, and the rest is", async () => {
  mkdirSync(join(cwd, "AGENTS.md"));
  writeFileSync(join(base, "outside.md"), "outside");
  symlinkSync(join(base, "outside.md"), join(cwd, "context-budget.md"));
  const outcome = await run({ for: "agents,cursor" });
  expect(outcomeText(outcome).split("\n")).toEqual([
    "AGENTS.md cannot be written: it is a folder",
    expect.stringMatching(/^wrote \.cursor\/rules\/varve\.mdc, a new file/),
    expect.stringMatching(/^context-budget\.md cannot be written: it leads out of the project, to .*outside\.md$/),
    expect.stringMatching(/varve init --undo/),
  ]);
  expect(readFileSync(join(base, "outside.md"), "utf8")).toBe("outside");
});

test("the home folder is no project, and words that name no agent are wrong usage", async () => {
  await expect(initRun({}, { ...place(), cwd: base }, async () => "yes")).rejects.toThrow("home folder");
  for (const words of ["emacs", "", "cursor,", "Claude"])
    await expect(run({ for: words })).rejects.toThrow("--for: expected");
});

describe("what somebody should know of the place", () => {
  const notes = (repository: string | null, path = "AGENTS.md") =>
    notesFor({
      folder: "/r/p",
      repository,
      steps: [{ type: "write", path, what: "", before: null, after: "", notes: [] }],
    });

  test.each([
    ["no repository", notes(null), /no git repository/],
    ["not its root", notes("/r"), /not the root of the repository, \/r/],
    ["the gateway's entry", notes("/r/p", ".cursor/mcp.json"), /not part of this version/],
  ])("%s", (_name, said, expected) => {
    expect(said).toEqual([expect.stringMatching(expected)]);
  });

  test("nothing, at the root of a repository", () => expect(notes("/r/p")).toEqual([]));
});

test("as JSON: what each file got, and what stayed", async () => {
  writeFileSync(join(cwd, "context-budget.md"), "mine");
  const json: unknown = JSON.parse(outcomeJson(await run({}), ["n"]));
  expect(json).toMatchObject({
    folder: cwd,
    backup: expect.stringContaining("backups"),
    files: [
      {
        path: "AGENTS.md",
        state: "written",
        isNew: true,
        lines: expect.arrayContaining(["## Keeping the context small"]),
      },
      { path: "context-budget.md", state: "left", why: "it is there already" },
    ],
    notes: ["n"],
  });
});

test("M-93 · on the command line: without a terminal --yes is wanted; what was written is then what holds", async () => {
  const at = newPlace();
  try {
    at.write("CLAUDE.md", "# Mine\r\n");
    const refused = await varve(["init"], at);
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/--dry-run.*--yes/) });
    expect(at.read("CLAUDE.md").toString()).toBe("# Mine\r\n");
    const done = await varve(["init", "--yes", "--for", "claude-code"], at);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wrote CLAUDE\.md[\s\S]*varve init --undo/) });
    expect(at.read("CLAUDE.md").toString()).toMatch(/^# Mine\r\n\r\n<!-- varve:begin/);
    const config = await varve(["config", "--json"], at, { env: { ANTHROPIC_API_KEY: "hidden-key-of-mine" } });
    expect(config).toMatchObject({ code: 0, stderr: "" });
    expect(config.stdout).not.toContain("hidden-key");
    const rows: unknown = JSON.parse(config.stdout);
    expect(rows).toMatchObject({
      rows: expect.arrayContaining([
        { key: "caps.summary", value: 400, from: expect.stringMatching(/context-budget\.md:\d+$/) },
        { key: "home", value: at.home, from: "environment VARVE_HOME" },
        { key: "key", value: "set", from: "environment ANTHROPIC_API_KEY" },
      ]),
      files: [{ path: expect.stringContaining(".claude/settings.json"), scope: "project", withoutEffect: [] }],
      notes: [],
    });
  } finally {
    at.remove();
  }
});
