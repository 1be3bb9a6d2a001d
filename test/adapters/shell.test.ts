import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodeShell } from "../../src/adapters/shell.ts";
import type { RunRequest } from "../../src/ports/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "varve-shell-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: folder, PROVIDER_KEY: "TESTKEY-9", BASH_ENV: "/nowhere" };
const shell = nodeShell({ env, graceMs: 300 });
const never = new AbortController().signal;

function script(text: string, more: Partial<RunRequest> = {}) {
  return shell.run(
    { command: { type: "script", text }, cwd: folder, timeoutMs: 20_000, bytesMax: 1e6, ...more },
    never,
  );
}

/** A process that is dead but not collected has no command line any more. */
function isAlive(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid.trim()}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

describe("a command", () => {
  test("gives its exit code and both streams in the order they were written", async () => {
    const run = await script("echo one; echo two >&2; echo three; exit 7");
    expect(run.end).toEqual({ type: "exited", exitCode: 7 });
    expect(run.output).toEqual({ head: "one\ntwo\nthree\n", bytesLeftOut: 0, tail: "" });
    expect(run.leftBehind).toBe("none");
  });

  test("reads the end of its input at once", async () => {
    expect((await script("cat; echo end")).output.head).toBe("end\n");
  });

  test("sees its own text as bash would take it, line breaks and quotes included", async () => {
    expect((await script(`x='a "b"'\nprintf '%s|' "$x" "$0" "$#"`)).output.head).toBe('a "b"|bash|0|');
  });

  test("that prints bytes which are no UTF-8 ends, and they read U+FFFD", async () => {
    expect((await script("printf 'a\\xff\\x00b\\xc3'")).output.head).toBe("a\uFFFD\0b\uFFFD");
  });

  test("that cannot start says why: no such folder, a NUL byte, too long a text", async () => {
    const noFolder = await script("echo x", { cwd: join(folder, "absent") });
    expect(noFolder.end).toMatchObject({ type: "not-started", why: expect.stringContaining("absent") });
    expect((await script("echo \0")).end.type).toBe("not-started");
    expect((await script(`: ${"x".repeat(3_000_000)}`)).end.type).toBe("not-started");
  });

  test("that crashes leaves no core file", async () => {
    expect((await script("ulimit -c")).output.head).toBe("0\n");
  });

  test("killed by a signal names it", async () => {
    expect((await script("kill -9 $$")).end).toEqual({ type: "killed", signal: "SIGKILL" });
  });
});

describe("C-021 · law 10 · every command ends", () => {
  test("at its time limit, with the output so far", async () => {
    const run = await script("echo begun; sleep 1000", { timeoutMs: 200 });
    expect(run.end).toEqual({ type: "timed-out" });
    expect(run.output.head).toBe("begun\n");
  });

  test("when the signal aborts, its children with it", async () => {
    const abort = new AbortController();
    let child = "";
    const run = await shell.run(
      {
        command: { type: "script", text: "sleep 1000 & echo $!; wait" },
        cwd: folder,
        timeoutMs: 20_000,
        bytesMax: 1e6,
        onOutput: (text) => {
          child += text;
          abort.abort();
        },
      },
      abort.signal,
    );
    expect(run.end).toEqual({ type: "interrupted" });
    expect(isAlive(child)).toBe(false);
  });

  test("when it ignores the polite signal", async () => {
    const run = await script("trap '' TERM; echo $$; while :; do sleep 0.05; done", { timeoutMs: 300 });
    expect(run.end).toEqual({ type: "timed-out" });
    expect(isAlive(run.output.head)).toBe(false);
  });

  test("when a background child keeps its pipes open, and that child is ended", async () => {
    const run = await script("sleep 1000 & echo $!");
    expect(run.end).toEqual({ type: "exited", exitCode: 0 });
    expect(run.leftBehind).toBe("ended");
    expect(isAlive(run.output.head)).toBe(false);
  });

  test("when a child that left the group keeps its pipes open: it is given up and said", async () => {
    const run = await script("setsid sleep 3 & echo begun; sleep 0.2");
    expect(run).toMatchObject({ end: { type: "exited", exitCode: 0 }, leftBehind: "gave-up" });
  });

  test("when it prints for ever: beginning and end are kept, the rest is counted", async () => {
    const run = await script("echo first; yes | head -c 3000000; echo last; exit 1", { bytesMax: 1_000 });
    expect(run.output.head.startsWith("first\ny\n")).toBe(true);
    expect(run.output.tail.endsWith("y\nlast\n")).toBe(true);
    expect(run.output.head.length + run.output.tail.length + run.output.bytesLeftOut).toBe(3_000_011);
    expect((await script("yes", { bytesMax: 1_000, timeoutMs: 200 })).end).toEqual({ type: "timed-out" });
  });

  test("before it starts, when the signal has already aborted", async () => {
    const request: RunRequest = {
      command: { type: "script", text: "touch P" },
      cwd: folder,
      timeoutMs: 9,
      bytesMax: 9,
    };
    expect((await shell.run(request, AbortSignal.abort())).end).toEqual({ type: "interrupted" });
  });
});

test("a throwing listener loses the live output, not the command", async () => {
  const onOutput = () => {
    throw new Error("screen is gone");
  };
  expect((await script("echo a; sleep 0.05; echo b", { onOutput })).output.head).toBe("a\nb\n");
});

test("a program runs without a shell, its streams apart", async () => {
  const args = ["-e", "console.log(process.argv[1]); console.error('e')", "$HOME; *"];
  const command = { type: "program", path: process.execPath, args } as const;
  const run = await shell.run({ command, cwd: folder, timeoutMs: 20_000, bytesMax: 1e5 }, never);
  expect([run.output.head, run.errorOutput.head]).toEqual(["$HOME; *\n", "e\n"]);
});

test("C-127 · the environment of a command has no secrets", async () => {
  const seen = (await script("env; tr '\\0' '\\n' < /proc/$$/cmdline")).output.head;
  expect(seen).toContain(`HOME=${folder}`);
  expect(seen).not.toContain("TESTKEY");
  expect(seen).not.toContain("PROVIDER_KEY");
});

test("law 10 · without other word the grace is the bound, and a command that ignores the polite signal ends after it", async () => {
  const patient = nodeShell({ env });
  const command = { type: "script", text: "trap '' TERM; echo $$; while :; do sleep 0.05; done" } as const;
  const run = await patient.run({ command, cwd: folder, timeoutMs: 1_500, bytesMax: 100 }, never);
  expect([run.end.type, isAlive(run.output.head)]).toEqual(["timed-out", false]);
});

test("a script that begins with a dash is a script, not an option", async () => {
  expect((await script("-n; echo on")).output.head).toContain("on\n");
});
