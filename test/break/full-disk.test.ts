import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RealSession, realSession } from "../support/real-session.ts";
import { call, startProvider, tell, varve } from "../support/varve-process.ts";

/** A real disk of a few hundred kilobytes, where this user may mount one. */
const disk = mkdtempSync(join(tmpdir(), "varve-disk-"));
const isMounted = mounted();
let real: RealSession;
beforeAll(async () => {
  real = await realSession(1);
});
afterAll(async () => {
  await real.remove();
  if (isMounted) execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

function mounted(): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const filler = join(disk, "filler");

/** Takes all room but so many bytes. */
function leave(bytes: number): void {
  rmSync(filler, { force: true });
  writeFileSync(filler, "");
  const step = Buffer.alloc(4_096);
  try {
    for (;;) writeFileSync(filler, step, { flag: "a" });
  } catch {
    truncateSync(filler, Math.max(0, Math.floor((statSync(filler).size - bytes) / 4_096) * 4_096));
  }
}

describe.skipIf(!isMounted)("a disk that is full for real", () => {
  for (const room of [0, 8_192, 20_480]) {
    test(`with ${room} bytes left, a turn ends with the reason, in the log or in a blob; with room again the same session and one opened anew go on`, async () => {
      const home = join(disk, `home${room}`);
      mkdirSync(home);
      const session = await real.open(home, { open: { type: "new" } });
      expect(await session.prompt("before")).toMatchObject({ reason: "done" });
      leave(room);
      const work = call("Bash", { command: "seq 1 9000" });
      const full = session.prompt(tell(work, work, work, { text: "read" }));
      await expect(full).rejects.toThrow(/the disk is full \(ENOSPC\): \//);
      rmSync(filler);
      expect(await session.prompt("after")).toMatchObject({ reason: "done", text: "heard: after" });
      expect(real.simulation.requests().at(-1)?.violation).toBeNull();
      await session.close();
      const again = await real.open(home, { open: { type: "resume", session: session.id } });
      expect(again.damage).toEqual([]);
      expect(await again.prompt("anew")).toMatchObject({ reason: "done", text: "heard: anew" });
      leave(0);
      // Closing writes a checkpoint and gives the lease back: neither may hold anybody up.
      await again.close();
      rmSync(filler);
      const last = await real.open(home, { open: { type: "resume", session: session.id } });
      expect(last.damage).toEqual([]);
      await last.close();
      rmSync(home, { recursive: true });
    });
  }

  test("the command line says so in one line and ends with 1; with room again it goes on", async () => {
    const provider = await startProvider();
    const place = {
      work: real.work,
      home: join(disk, "cli"),
      write: () => {},
      read: () => Buffer.of(),
      remove: () => {},
    };
    const run = (args: readonly string[]) => varve(args, place, { env: provider.env() });
    try {
      expect(await run(["-p", "before"])).toMatchObject({ code: 0 });
      leave(0);
      const full = await run(["-p", "--continue", tell(call("Bash", { command: "seq 1 9000" }))]);
      expect(full).toMatchObject({ code: 1, stdout: "" });
      expect(full.stderr).toMatch(/^varve: .*the disk is full \(ENOSPC\)/m);
      expect(full.stderr).not.toMatch(/\n {4}at /);
      rmSync(filler);
      expect(await run(["-p", "--continue", "after"])).toMatchObject({ code: 0, stdout: "heard: after\n" });
      expect(await run(["log", "--verify"])).toMatchObject({ code: 0 });
    } finally {
      await provider.stop();
    }
  });
});
