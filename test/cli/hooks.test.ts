import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, inScene, tell } from "../support/varve-process.ts";

const on = (event: string, command: string, matcher = "") => ({
  [event]: [{ matcher, hooks: [{ type: "command", command }] }],
});

test("a project's hooks run only once its file was approved, the user's own at once; `varve hooks` says which is which", () =>
  inScene("anthropic", async ({ place, run, ask }) => {
    const bash = tell(call("Bash", { command: "touch P" }), { text: "done" });
    const isThere = (name: string) => existsSync(join(place.work, name));
    place.write(".varve/settings.json", JSON.stringify({ hooks: on("PreToolUse", "touch project-ran", "Bash") }));
    mkdirSync(join(place.home, ".claude"), { recursive: true });
    const guard = "echo 'P is taken' >&2; exit 2";
    const users = { ...on("PreToolUse", guard, "Bash"), ...on("WorktreeCreate", "true") };
    writeFileSync(join(place.home, ".claude", "settings.json"), JSON.stringify({ hooks: users }));

    const doubted = await ask(bash, ["--permission-mode", "bypassPermissions"]);
    expect(doubted.code).toBe(4);
    expect(doubted.stderr).toMatch(/hook at PreToolUse blocked .*P is taken/);
    expect(doubted.stderr).toMatch(/\.claude\/settings\.json: hooks\.WorktreeCreate: this event is not known here/);
    expect(doubted.stderr).toMatch(/\.varve\/settings\.json was not approved: .*1 of its settings/);
    expect([isThere("project-ran"), isThere("P")]).toEqual([false, false]);

    const listed = await run(["hooks", "--json"]);
    expect(JSON.parse(listed.stdout).hooks).toMatchObject([
      { event: "PreToolUse", command: guard, state: "runs", file: expect.stringContaining(".claude/settings.json") },
      { command: "touch project-ran", state: "not approved" },
    ]);

    await ask(bash, ["--permission-mode", "bypassPermissions", "--trust-project"]);
    expect([isThere("project-ran"), isThere("P")]).toEqual([true, false]);
  }));
