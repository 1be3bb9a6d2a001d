import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, inScene, type Scene, tell } from "../support/varve-process.ts";

const bash = tell(call("Bash", { command: "touch P" }), { text: "done" });
const made = ({ place }: Scene) => existsSync(join(place.work, "P"));
const user = ({ place }: Scene, permissions: unknown) => {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "settings.json"), JSON.stringify({ permissions }));
};

describe.concurrent("settings that a stranger wrote", () => {
  test("a project's mode does not loosen the user's own, also where it is one that nobody needs to approve", () =>
    inScene("anthropic", async (scene) => {
      user(scene, { defaultMode: "plan", allow: ["Bash(touch:*)"] });
      for (const mode of ["default", "dontAsk"]) {
        scene.place.write(".varve/settings.json", JSON.stringify({ permissions: { defaultMode: mode } }));
        expect((await scene.ask(bash)).code, mode).toBe(4);
        expect(made(scene)).toBe(false);
      }
      expect((await scene.ask(bash, ["--trust-project"])).code).toBe(0);
    }));

  test("a settings file that is a device or a pipe ends the run at once", () =>
    inScene("anthropic", async (scene) => {
      mkdirSync(join(scene.place.work, ".varve"));
      symlinkSync("/dev/zero", join(scene.place.work, ".varve/settings.json"));
      expect(await scene.ask(bash)).toMatchObject({ code: 2, stderr: expect.stringContaining("not a regular file") });
      mkdirSync(join(scene.place.work, ".claude"));
      execFileSync("mkfifo", [join(scene.place.work, ".claude/settings.json")]);
      expect((await scene.ask(bash)).code).toBe(2);
      expect((await scene.run(["trust", "--yes"])).code).toBe(2);
      expect(made(scene)).toBe(false);
    }));
});
