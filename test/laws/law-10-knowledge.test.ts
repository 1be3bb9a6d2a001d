import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findCommands } from "../../src/adapters/commands.ts";
import { laneEffects } from "../../src/adapters/effects.ts";
import { instructionsAt } from "../../src/adapters/instructions.ts";
import { lookInAll } from "../../src/adapters/knowledge.ts";
import { memoryReader } from "../../src/adapters/memory-read.ts";
import { skillFolders } from "../../src/adapters/skill-places.ts";
import { skillFinder } from "../../src/adapters/skills.ts";
import { skillsTold } from "../../src/adapters/skills-told.ts";
import { skillPart } from "../../src/agent/skill-text.ts";
import { estimate } from "../../src/budget/count.ts";
import { bounds } from "../../src/kernel/bounds.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "varve-limits-")));
  mkdirSync(join(root, ".git"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const looking = { message: "go", touched: [], held: [] };
const skill = (name: string, description = "Does it.") =>
  write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\nDo it.`);
const finder = () => skillFinder({ cwd: root, user: null, home: join(root, "home"), isApproved: async () => true });

describe("law 10 · limits of what is kept on disk for the agent", () => {
  test("a source that hangs is waited for bounds.lookMsMax, one that throws not at all; the others are told", async () => {
    const told = { attachments: [], covers: ["rule"], notes: ["fine"] } as const;
    const sources = [
      { name: "what hangs", look: () => new Promise<never>(() => {}) },
      { name: "what throws", look: () => Promise.reject(new Error("broken")) },
      { name: "what works", look: async () => told },
    ];
    const { covers, notes } = await lookInAll(sources, looking);
    expect(covers).toEqual(["rule"]);
    expect(notes).toEqual([
      `what hangs could not be read: no answer within ${bounds.lookMsMax / 1_000} seconds`,
      "what throws could not be read: broken",
      "fine",
    ]);
  });

  test("a note is told once, and no more than bounds.notesMax of them", () => {
    const heard: string[] = [];
    // Notes go to nobody but the listener: the rest of the world is not looked at.
    const world = { onNote: (text: string) => heard.push(text) } as unknown as Parameters<typeof laneEffects>[0];
    const fx = laneEffects(world);
    for (let n = 0; n < bounds.notesMax * 2; n++) for (let time = 0; time < 2; time++) fx.note(`note ${n}`);
    expect(heard).toHaveLength(bounds.notesMax);
  });

  test("commands are found down to bounds.commandDepthMax folders", async () => {
    const deep = (levels: number) => `${Array.from({ length: levels }, (_, n) => `d${n}`).join("/")}/last`;
    write(`.claude/commands/${deep(bounds.commandDepthMax)}.md`, "x");
    write(`.claude/commands/${deep(bounds.commandDepthMax)}er/more.md`, "x");
    const { commands } = await findCommands({ cwd: root, user: null, home: join(root, "home") });
    expect(commands.map(({ name }) => name.split(":").length)).toEqual([bounds.commandDepthMax + 1]);
  });

  test("of a folder of memories bounds.memoryNamesMax names are looked at", async () => {
    for (let n = 0; n < bounds.memoryNamesMax; n++) writeFileSync(join(root, `n${n}.txt`), "");
    write("zz.md", "kept");
    const { folders, notes } = await memoryReader()([{ scope: "user", folder: root }]);
    expect(folders[0]?.files.length ?? 0).toBeLessThanOrEqual(1);
    expect(notes.join("\n")).toContain("more than");
  });

  test("a rule that is read on demand is described in bounds.ruleDescriptionCharsMax characters", async () => {
    write(".cursor/rules/long.mdc", `---\ndescription: ${"word ".repeat(bounds.ruleDescriptionCharsMax)}\n---\nBody`);
    const find = instructionsAt({ cwd: root, userHome: null, home: join(root, "home"), managed: null });
    const { files } = await find({ touched: [], standing: [] });
    const line = files.find(({ kind }) => kind === "rule")?.text ?? "";
    expect(line.length).toBeGreaterThan(bounds.ruleDescriptionCharsMax);
    expect(line.length).toBeLessThan(bounds.ruleDescriptionCharsMax + root.length + 100);
  });

  test("skills are looked for in the deepest bounds.skillSubfoldersMax folders below", () => {
    const touched = Array.from({ length: bounds.skillSubfoldersMax * 2 }, (_, n) => join(root, `d${n}`, "file"));
    const at = { cwd: root, user: null, home: join(root, "home"), isApproved: async () => true };
    const lists = new Set(skillFolders(at, root, touched).map(({ list }) => list));
    expect(lists.size).toBe(bounds.skillSubfoldersMax + 1);
  });

  test("a disk that does not answer within bounds.skillsMsMax ends the look, and is named", async () => {
    skill("one");
    let now = 0;
    vi.spyOn(Date, "now").mockImplementation(() => {
      now += bounds.skillsMsMax + 1;
      return now;
    });
    const found = await finder()([]);
    expect(found.type).not.toBe("all");
    expect(found.notes.join("\n")).toContain("did not answer in time");
  });

  test("a listing has bounds.skillListWindowPercentMax of the window, and at most bounds.skillListTokensMax", async () => {
    for (let n = 0; n < 60; n++) skill(`skill-${n}`, "word ".repeat(200).trim());
    const sizeAt = async (windowTokens: number) => {
      const { attachments } = await skillsTold(finder(), () => windowTokens)(looking);
      return attachments.reduce((sum, { text }) => sum + estimate(text), 0);
    };
    const frame = 100;
    expect(await sizeAt(50_000)).toBeLessThan((50_000 * bounds.skillListWindowPercentMax) / 100 + frame);
    const large = await sizeAt(1_000_000);
    expect(large).toBeGreaterThan(bounds.skillListTokensMax * 0.6);
    expect(large).toBeLessThan(bounds.skillListTokensMax + frame);
  });

  test("less than bounds.skillPartTokensMin of a skill is not shown", () => {
    const text = "how to do it\n".repeat(5_000);
    expect(skillPart(text, bounds.skillPartTokensMin - 1, "f")).toBeNull();
    expect(skillPart(text, bounds.skillPartTokensMin, "f")?.cut).toContain("the rest is in f");
  });
});
