import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, inScene, type Place, type Scene, startVarve, tell } from "../support/varve-process.ts";

// Not of a shape that is known, and in no variable: a secret that nobody could know for one.
const leak = "correct-horse-battery";
const allowed = ["--permission-mode", "bypassPermissions"];

/** A session in which the secret stands in a message, a short and a long output, a call and an answer. */
async function leaked({ ask, place }: Scene): Promise<void> {
  place.write("short.txt", `pass "${leak}"\n`);
  place.write("long.txt", `${"line of text\n".repeat(900)}${leak}\n`);
  const cat = (name: string) => call("Bash", { command: `cat ${name}` });
  const asked = await ask(
    tell(cat("short.txt"), cat("long.txt"), call("Bash", { command: `echo ${leak}` }), { text: `it is ${leak}` }),
    allowed,
  );
  expect(asked.code).toBe(0);
}

function leaks({ home }: Place): readonly string[] {
  if (!existsSync(home)) return [];
  return readdirSync(home, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => readFileSync(path).includes(leak));
}

const redact = ["log", "redact", "--text-from-stdin"];

describe("varve log redact", () => {
  test("takes a text out of log, blobs and checkpoint; the log is whole, says so, and the session goes on", async () => {
    await inScene("anthropic", async (scene) => {
      const { run, place, ask, entries } = scene;
      await leaked(scene);
      expect(leaks(place).length).toBeGreaterThan(1);
      const done = await run(redact, `${leak}\n`);
      expect([done.code, leaks(place)]).toEqual([0, []]);
      expect(done.stderr).toContain("THIS LOG WAS REWRITTEN");
      const verified = await run(["log", "--verify"]);
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("whole")]);
      expect(verified.stderr).toMatch(/entries [\d, ]+ were redacted on/);
      const again = await run(redact, leak);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("nothing was changed")]);
      expect((await ask("and now?", ["--continue", ...allowed])).code).toBe(0);
      const epochs = await entries("epoch-opened");
      expect(epochs.at(-1)).toMatchObject({ reason: "renderer-changed" });
      expect(leaks(place)).toEqual([]);
    });
  });

  test("takes a result out by its handle", async () => {
    await inScene("anthropic", async (scene) => {
      const { run, place, entries } = scene;
      place.write("a.txt", `${"y".repeat(600)}${leak}`);
      await scene.ask(tell(call("Bash", { command: "cat a.txt" }), { text: "seen" }), allowed);
      const handle = String((await entries("tool-returned"))[0]?.handle);
      expect((await run(["log", "redact", handle])).code).toBe(0);
      expect(leaks(place)).toEqual([]);
      expect((await run(["recall", handle])).stdout).toBe("[redacted]");
      expect((await run(["log", "--verify"])).code).toBe(0);
    });
  });

  test("killed at any moment it leaves a log that is whole, and the next call ends the work", async () => {
    await inScene("anthropic", async (scene) => {
      const { run, place } = scene;
      await leaked(scene);
      const before = leaks(place).filter((path) => path.includes("/blobs/"));
      const [blob = "", text] = [before[0], readFileSync(before[0] ?? "")];
      for (const ms of [250, 350, 450, 600]) {
        const running = startVarve(redact, place, { stdin: leak });
        const timer = setTimeout(() => running.child.kill("SIGKILL"), ms);
        await running.ended;
        clearTimeout(timer);
        expect((await run(["log", "--verify"])).stderr).not.toContain("damage");
      }
      await run(redact, leak);
      expect(leaks(place)).toEqual([]);
      expect((await run(["log", "--verify"])).code).toBe(0);
      // As a death right before the old texts are removed leaves it.
      writeFileSync(blob, text);
      expect((await run(redact, leak)).code).toBe(0);
      expect(leaks(place)).toEqual([]);
      expect((await run(["log", "--verify"])).code).toBe(0);
    });
  });

  test("asks for one thing to take out, and not for a word that stands everywhere", async () => {
    await inScene("anthropic", async ({ run, ask }) => {
      await ask("hello");
      expect((await run(["log", "redact"])).code).toBe(2);
      expect((await run(redact, "short")).code).toBe(2);
      expect((await run(["log", "redact", "../x"])).code).toBe(2);
      const structural = await run(redact, "message-added");
      expect([structural.code, structural.stderr]).toEqual([1, expect.stringContaining("nothing was redacted")]);
    });
  });
});
