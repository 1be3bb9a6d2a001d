import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, inScene, type Scene, tell } from "../support/varve-process.ts";

const bash = tell(call("Bash", { command: "touch P" }), { text: "done" });
const made = ({ place }: Scene) => existsSync(join(place.work, "P"));
const settings = ({ place }: Scene, permissions: unknown, file = ".varve/settings.json") =>
  place.write(file, JSON.stringify({ permissions }));
const userSettings = ({ place }: Scene, permissions: unknown, file = "settings.json") => {
  mkdirSync(dirname(join(place.home, file)), { recursive: true });
  writeFileSync(join(place.home, file), JSON.stringify({ permissions }));
};

describe.concurrent("permissions on the command line", () => {
  test("--allowed-tools lets exactly that run, recorded as a rule with where it came from", () =>
    inScene("anthropic", async (scene) => {
      expect((await scene.ask(bash, ["--allowed-tools", "Bash(touch Q)"])).code).toBe(4);
      expect(
        (await scene.ask(bash, ["--allowed-tools", "Bash(touch:*)", "--disallowed-tools", "Bash(touch P)"])).code,
      ).toBe(4);
      expect(made(scene)).toBe(false);
      expect((await scene.ask(bash, ["--allowed-tools", "Read", "Bash(touch P)"])).code).toBe(0);
      expect(made(scene)).toBe(true);
      const [decision] = await scene.entries("permission-decided");
      expect(decision).toMatchObject({
        allowed: true,
        by: "rule",
        why: expect.stringContaining("the allow rule Bash(touch P) of --allowed-tools"),
      });
    }));

  test("user settings allow; ours and those of Claude Code are read, and --settings stands above them", () =>
    inScene("anthropic", async (scene) => {
      userSettings(scene, { allow: ["Bash(touch:*)"] }, ".claude/settings.json");
      expect((await scene.ask(bash, ["--settings", '{"permissions":{"deny":["Bash(touch:*)"]}}'])).code).toBe(4);
      expect(made(scene)).toBe(false);
      expect((await scene.ask(bash)).code).toBe(0);
      expect(made(scene)).toBe(true);
      userSettings(scene, { defaultMode: "plan" });
      expect((await scene.ask(tell(call("Bash", { command: "touch Q" }), { text: "done" }))).code).toBe(4);
    }));

  test("C-123 · an unpacked archive allows itself nothing until somebody approved that very content", () =>
    inScene("anthropic", async (scene) => {
      settings(scene, { allow: ["Bash"], defaultMode: "bypassPermissions", additionalDirectories: ["/"] });
      settings(scene, { allow: ["Bash"] }, ".claude/settings.local.json");
      const doubted = await scene.ask(bash);
      expect(doubted.code).toBe(4);
      expect(doubted.stderr).toMatch(
        /\.varve\/settings\.json was not approved: .*3 of its settings.*varve trust.*--trust-project/,
      );
      const unasked = await scene.run(["trust"]);
      expect(unasked).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/allows Bash[\s\S]*adds the folder \/[\s\S]*varve trust --yes/),
      });
      expect(made(scene)).toBe(false);
      const approved = await scene.run(["trust", "--yes"]);
      expect(approved).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/allows Bash[\s\S]*adds the folder \//),
      });
      expect((await scene.ask(bash)).code).toBe(0);
      expect(made(scene)).toBe(true);
      settings(scene, { allow: ["Bash", "Bash(x)"] });
      settings(scene, {}, ".claude/settings.local.json");
      const changed = await scene.ask(tell(call("Bash", { command: "touch Q" }), { text: "done" }));
      expect(changed.code).toBe(4);
      expect(
        (await scene.ask(tell(call("Bash", { command: "touch Q" }), { text: "done" }), ["--trust-project"])).code,
      ).toBe(0);
    }));

  test("what a project's settings refuse counts without approval, in bypassPermissions too", () =>
    inScene("anthropic", async (scene) => {
      settings(scene, { deny: ["Bash(touch:*)"] });
      const free = ["--permission-mode", "bypassPermissions"];
      expect((await scene.ask(bash, free)).code).toBe(4);
      expect((await scene.ask(tell(call("Bash", { command: "sh -c 'touch P'" }), { text: "done" }), free)).code).toBe(
        4,
      );
      expect(made(scene)).toBe(false);
      userSettings(scene, { disableBypassPermissionsMode: "disable" });
      expect(await scene.ask(bash, free)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("disableBypassPermissionsMode"),
      });
    }));

  test("settings that cannot be read whole end the run with exit code 2, file and place", () =>
    inScene("anthropic", async (scene) => {
      settings(scene, { deny: ["Read(!x)"] });
      const ended = await scene.ask(bash);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(
        /^varve: .*\.varve\/settings\.json: permissions\.deny\[0\]: "Read\(!x\)": a path does not begin with !/,
      );
      expect((await scene.ask(bash, ["--settings", "nowhere.json"])).stderr).toContain(
        "--settings: there is no file nowhere.json",
      );
      expect((await scene.ask(bash, ["--allowed-tools", "Bash()"])).stderr).toContain(
        "--allowed-tools: permissions.allow[0]",
      );
    }));

  test("C-125 · a folder beside the project belongs to the workspace once it is named, and what must not be read is not found", () =>
    inScene("anthropic", async (scene) => {
      const beside = join(dirname(scene.place.work), "beside");
      mkdirSync(beside);
      writeFileSync(join(beside, "x.txt"), "needle beside\n");
      scene.place.write("secrets/key.txt", "needle secret\n");
      const read = tell(call("Read", { path: join(beside, "x.txt") }), { text: "done" });
      expect((await scene.ask(read)).code).toBe(4);
      userSettings(scene, { additionalDirectories: [beside], deny: ["Read(./secrets/**)"] });
      expect((await scene.ask(read)).code).toBe(0);
      const search = tell(call("Grep", { pattern: "needle" }), call("Glob", { pattern: "*.txt" }), { text: "done" });
      expect((await scene.ask(search)).code).toBe(0);
      const outputs = JSON.stringify(await scene.entries("tool-returned"));
      expect(outputs).not.toContain("secret");
    }));
});
