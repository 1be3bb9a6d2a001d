import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSandbox } from "../../src/adapters/sandbox.ts";
import { call, inScene, newPlace, tell, varve } from "../support/varve-process.ts";

const found = await openSandbox({ roots: [], hidden: [], network: "off" });
if (found.type === "found") await found.sandbox.close();

test("where there is no sandbox, `on` refuses to start and says what to install, `auto` says so and goes on", async () => {
  await inScene("anthropic", async ({ place, provider }) => {
    const without = { env: { ...provider.env(), PATH: "/nowhere" } };
    const refused = await varve(["-p", "hi", "--sandbox", "on"], place, without);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("apt-get install bubblewrap");
    expect(existsSync(join(place.home, "sessions"))).toBe(false);
    const warned = await varve(["-p", "hi", "--sandbox", "auto"], place, without);
    expect(warned.code).toBe(0);
    expect(warned.stderr.match(/commands run without a sandbox/g)).toHaveLength(1);
  });
});

test("a mode that is none is a mistake in the command line", async () => {
  const place = newPlace();
  const wrong = await varve(["-p", "hi", "--sandbox", "maybe"], place, { env: { ANTHROPIC_API_KEY: "x" } });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"off", "auto" or "on"')]);
  place.remove();
});

test.skipIf(found.type === "missing")(
  "what only asks runs unasked in the sandbox where the user's settings say so, and no project's",
  async () => {
    await inScene("anthropic", async ({ place, ask, entries }) => {
      const both = JSON.stringify({ sandbox: "on", sandboxAutoAllow: true });
      mkdirSync(join(place.work, ".varve"), { recursive: true });
      place.write(".varve/settings.json", both);
      const command = tell(call("Bash", { command: "echo made > made; echo x > ../outside; ls ~/.varve" }), {
        text: "ok",
      });
      expect((await ask(command, ["--trust-project"])).stderr).toContain("counts in your own settings only");
      expect(existsSync(join(place.work, "made"))).toBe(false);
      writeFileSync(join(place.home, "settings.json"), both);
      await ask(command);
      expect(existsSync(join(place.work, "made"))).toBe(true);
      expect(readdirSync(join(place.work, ".."))).not.toContain("outside");
      // What a rule refuses stays refused.
      await ask(tell(call("Bash", { command: "touch never" }), { text: "ok" }), [
        "--disallowed-tools",
        "Bash(touch:*)",
      ]);
      expect(existsSync(join(place.work, "never"))).toBe(false);
      const decided = await entries("permission-decided");
      expect(JSON.stringify(decided)).toContain("Bash(touch:*)");
    });
  },
);
