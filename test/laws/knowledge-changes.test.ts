import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { knowledgeOf } from "../../src/adapters/knowledge.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "varve-knowledge-")));
  mkdirSync(join(root, "w", ".git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

type Change = { readonly name: string; readonly make: () => void; readonly says: RegExp | null };

const ship = "---\nname: Shipping\ndescription: how to ship the lighthouse\n---\n";

/** One at a time, each of what project and user keep for the agent; `says`: what the newest request says of it, and none before. */
const changes: readonly Change[] = [
  { name: "CLAUDE.md", make: () => write("w/CLAUDE.md", "Use spaces, always."), says: /Use spaces, always/ },
  { name: "a rule file", make: () => write("w/.claude/rules/style.md", "Short names."), says: /Short names/ },
  {
    name: "a memory file",
    make: () => write("home/memory/ship.md", `${ship}The lighthouse ships at dawn.`),
    says: /ships at dawn/,
  },
  {
    name: "the list of skills",
    make: () =>
      write("w/.claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies the harbour.\n---\nTidy."),
    says: /Tidies the harbour/,
  },
  {
    name: "the file of a skill that is listed",
    make: () =>
      write("w/.claude/skills/paint/SKILL.md", "---\nname: paint\ndescription: Paints it blue.\n---\nPaint it blue."),
    says: null,
  },
  { name: "an output style", make: () => write("w/.claude/output-styles/calm.md", "Write loudly."), says: null },
];

describe.each(Object.keys(wiresOfToday) as readonly Wire[])("%s: what stands on disk for the agent changes", (wire) => {
  test("one after another: nothing that was sent moves, the tail says it once, nothing is missed", async () => {
    write("w/CLAUDE.md", "Use tabs.");
    write("w/.claude/rules/style.md", "Long names.");
    write("w/.claude/output-styles/calm.md", "Write calmly.");
    write("home/memory/ship.md", `${ship}The lighthouse ships at noon.`);
    write("w/.claude/skills/paint/SKILL.md", "---\nname: paint\ndescription: Paints it red.\n---\nPaint it red.");
    const place = (style: string) => ({
      cwd: join(root, "w"),
      user: null,
      home: join(root, "home"),
      project: null,
      windowTokens: () => 200_000,
      memoryFiles: "review" as const,
      style,
      isTrusted: async () => true,
    });
    const game = await wireSession(wire, { knowledge: knowledgeOf(place("calm")) });
    const first = await game.say("How do we ship the lighthouse?");
    for (const words of [/Use tabs/, /Long names/, /Write calmly/, /ships at noon/, /Paints it red/])
      expect(first.body).toMatch(words);
    for (const change of changes) {
      change.make();
      const now = await game.say("And how do we ship the lighthouse now?");
      expect([change.name, now]).toMatchObject([change.name, { keptAll: true, cause: null, breaks: [] }]);
      if (change.says !== null) expect([change.name, now.news(change.says)]).toEqual([change.name, 1]);
      const then = await game.say("And the lighthouse, how does it ship?");
      expect([change.name, then]).toMatchObject([change.name, { keptAll: true, cause: null, breaks: [] }]);
    }
    await game.reopen(knowledgeOf(place("calm")));
    const next = await game.say("And in the next session?");
    expect(next.news(/Write loudly/)).toBe(1);
    await game.reopen(knowledgeOf(place("brief")));
    const other = await game.say("And with another style?");
    expect(other.news(/as few words as the matter allows/)).toBe(1);
    for (const one of [next, other]) expect(one).toMatchObject({ keptAll: true, cause: null, breaks: [] });
  });
});
