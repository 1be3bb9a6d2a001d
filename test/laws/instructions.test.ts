import { mkdir, mkdtemp, realpath, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { knowledgeOf } from "../../src/adapters/knowledge.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";
import { fakeTool } from "../support/world.ts";

const made: string[] = [];
afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

/** A project on disk, and what a session knows of it. */
async function project(files: Readonly<Record<string, string>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "varve-instructions-")));
  made.push(folder);
  const cwd = join(folder, "app");
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  };
  await mkdir(cwd);
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const knowledge = knowledgeOf({
    ...{ cwd, user: null, home: join(folder, "home"), project: null, memoryFiles: "off" },
    windowTokens: () => 200_000,
  });
  return { cwd, write, knowledge };
}

/** Reads a file of the project, named by its path in it. */
function reader(cwd: string): Tool {
  const tool = fakeTool("read", true, async ({ path }) => `content of ${String(path)}`);
  return {
    ...tool,
    parse(input) {
      const parsed = tool.parse(input);
      if (parsed.type === "bad") return parsed;
      const { run } = parsed.call;
      const path = join(cwd, String(Object.entries(Object(input)).find(([key]) => key === "path")?.[1]));
      const call: typeof parsed.call = {
        ...parsed.call,
        run: async (context, signal) => ({
          ...(await run(context, signal)),
          files: [{ path, hash: hashOf(path), how: "read" }],
        }),
      };
      return { type: "ok", call };
    },
  };
}

/** A message `read a b` makes one answer that reads both; any other is answered at once. */
const readsOnRequest: Brain = ({ messages }) => {
  const parts = messages.flatMap(({ role, parts: all }) => all.map((part) => ({ role, part })));
  const last = parts.findLastIndex(
    ({ role, part }) => role === "user" && part.type === "text" && /^read /.test(part.text),
  );
  const asked = parts[last]?.part;
  const isNew = last >= 0 && parts.slice(last).every(({ role }) => role === "user");
  if (!isNew || asked?.type !== "text") return { text: "An answer." };
  return {
    calls: asked.text
      .split(" ")
      .slice(1)
      .map((path) => ({ tool: "read", input: { path } })),
  };
};

describe.each(Object.keys(wiresOfToday))("%s", (name) => {
  // The proof: the record is keyed by wire.
  const wire = name as Wire;

  test("instructions change one after another on disk: nothing that was sent moves, each is said once", async () => {
    const { cwd, write, knowledge } = await project({
      "CLAUDE.md": "ROOT-1",
      ".claude/rules/style.md": "RULE-1",
      "sub/AGENTS.md": "NESTED-1",
    });
    const game = await wireSession(wire, { knowledge, tools: [reader(cwd)], brain: readsOnRequest });
    const still = { keptAll: true, cause: null, breaks: [] };
    const touched = await game.say("read sub/a.ts");
    expect(touched).toMatchObject(still);
    expect(touched.news(/NESTED-1/)).toBe(1);
    for (const [file, text] of [
      ["CLAUDE.md", "ROOT-2"],
      [".claude/rules/style.md", "RULE-2"],
      ["sub/AGENTS.md", "NESTED-2"],
    ] as const) {
      await write(file, text);
      const now = await game.say("and now?");
      expect(now).toMatchObject(still);
      expect(now.news(new RegExp(text))).toBe(1);
      expect((await game.say("and then?")).news(/ROOT|RULE|NESTED/)).toBe(0);
    }
    await unlink(join(cwd, "CLAUDE.md"));
    const gone = await game.say("and without?");
    expect(gone).toMatchObject(still);
    expect([gone.news(/No longer in force: [^"]*CLAUDE\.md/), gone.news(/ROOT/)]).toEqual([1, 0]);
  });

  test("C-097 · a nested file enters once, however often and by however many calls at once its folder is touched", async () => {
    const nested = `NESTED begins\n${"Keep to the rules of this folder, all of them.\n".repeat(250)}`;
    const { cwd, knowledge } = await project({ "sub/AGENTS.md": nested });
    const game = await wireSession(wire, { knowledge, tools: [reader(cwd)], brain: readsOnRequest });
    const counts: number[] = [];
    for (const files of ["top/b", "sub/a sub/b", "top/b", "sub/c", "sub/d"])
      counts.push((await game.say(`read ${files}`)).news(/NESTED begins/));
    expect(counts).toEqual([0, 1, 0, 0, 0]);
  });
});
