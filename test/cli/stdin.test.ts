import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { newPlace, varve } from "../support/varve-process.ts";

const place = newPlace();
afterAll(() => place.remove());

test("more on stdin than `bounds.stdinBytesMax` is refused with exit code 2, and nothing is sent", async () => {
  const ended = await varve(["-p", "x"], place, { stdin: "x".repeat(bounds.stdinBytesMax + 1) });
  expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("stdin holds more than 32 MB") });
});

test("beside a prompt, a pipe that stays silent is given up after `bounds.stdinSilentMsMax`", async () => {
  const program = join(import.meta.dirname, "../../src/cli/main.ts");
  const env = { PATH: process.env.PATH, VARVE_HOME: place.home };
  // Nobody ever writes to or ends its stdin. Without a key it ends right after having read it.
  const child = spawn(process.execPath, [program, "-p", "x"], {
    cwd: place.work,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(2);
});
