import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "../../src/adapters/sandbox.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import type { RunRequest } from "../../src/ports/shell.ts";

const folder = mkdtempSync("/var/tmp/varve-sandboxed-");
const work = join(folder, "work");
const home = join(folder, "home");
const found = await openSandbox({ roots: [work], hidden: [home], network: "off" });

test("a sandbox that cannot be had says why and what to install", async () => {
  const absent = await openSandbox({ roots: [work], hidden: [], network: "off", bwrap: "/nowhere/bwrap" });
  expect(absent).toMatchObject({ type: "missing", why: expect.stringContaining("apt-get install bubblewrap") });
  const broken = await openSandbox({ roots: [work], hidden: [], network: "off", bwrap: "false" });
  expect(broken).toMatchObject({ type: "missing", why: expect.stringContaining("does not work here") });
});

test("when the sandbox itself fails in mid-session, its words are the command's output", async () => {
  const bwrap = join(folder, "bwrap");
  writeFileSync(bwrap, '#!/bin/sh\n[ "$#" -lt 12 ] && exit 0\necho "bwrap: no more namespaces" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const failing = await openSandbox({ roots: [work], hidden: [], network: "off", bwrap });
  if (failing.type === "missing") throw new Error(failing.why);
  const shell = nodeShell({ env: { PATH: process.env.PATH }, confine: failing.sandbox.confine });
  const request = {
    command: { type: "script", text: "echo ran" },
    cwd: folder,
    timeoutMs: 9_000,
    bytesMax: 1e6,
  } as const;
  const { end, output } = await shell.run(request, new AbortController().signal);
  expect([end, output.head]).toEqual([{ type: "exited", exitCode: 1 }, "bwrap: no more namespaces\n"]);
  await failing.sandbox.close();
});

describe.skipIf(found.type === "missing")("in bubblewrap a command", () => {
  const sandbox: Sandbox =
    found.type === "found" ? found.sandbox : { confine: (program) => program, close: async () => {} };
  const env = { PATH: process.env.PATH, HOME: folder };
  const shell = nodeShell({ env, graceMs: 300, confine: sandbox.confine });
  const plain = nodeShell({ env, graceMs: 300 });
  const run = async (text: string, more: Partial<RunRequest> = {}, by = shell) => {
    const request = {
      command: { type: "script", text },
      cwd: work,
      timeoutMs: 20_000,
      bytesMax: 1e6,
      ...more,
    } as const;
    const { end, output } = await by.run(request, new AbortController().signal);
    return { end, text: output.head };
  };

  beforeAll(() => {
    for (const path of [work, home, join(work, ".git", "hooks"), join(folder, "out")])
      mkdirSync(path, { recursive: true });
    writeFileSync(join(work, ".git", "config"), "[core]\n");
    writeFileSync(join(home, "log"), "history");
    symlinkSync(join(folder, "out"), join(work, "link"));
  });
  afterAll(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("writes in the workspace, and what it wrote is there", async () => {
    expect((await run("mkdir -p sub && echo hi > sub/a && cat sub/a")).text).toBe("hi\n");
    expect(readFileSync(join(work, "sub", "a"), "utf8")).toBe("hi\n");
  });

  test("has a /tmp of its own, the same for every command of the session", async () => {
    await run("echo kept > /tmp/varve-probe");
    expect((await run("cat /tmp/varve-probe; echo $TMPDIR")).text).toBe("kept\n/tmp\n");
    expect(existsSync("/tmp/varve-probe")).toBe(false);
  });

  const refused: readonly (readonly [string, string])[] = [
    ["in the system", "echo x > /etc/varve-probe"],
    ["beside the workspace", `echo x > ${folder}/beside`],
    ["through a link that leads out", "echo x > link/probe"],
    ["through a link it makes", `ln -s ${folder} l2 && echo x > l2/probe`],
    ["through a hard link", "ln /etc/hostname h && echo x > h"],
    ["to what git runs", "echo x > .git/hooks/pre-commit"],
    ["to what git is told to run", "echo x >> .git/config"],
    ["by mounting over it", `mount -o remount,rw / && echo x > ${folder}/beside`],
    ["by moving the guard away", "mv .git/hooks .git/h2"],
  ];
  test.each(refused)("cannot write %s", async (_, text) => {
    const before = readdirSync(folder).join();
    expect((await run(text)).end).not.toEqual({ type: "exited", exitCode: 0 });
    expect(readdirSync(folder).join()).toBe(before);
    expect(readdirSync(join(folder, "out"))).toEqual([]);
    expect(readFileSync(join(work, ".git", "config"), "utf8")).toBe("[core]\n");
    expect(existsSync("/etc/varve-probe")).toBe(false);
  });

  test("sees no sessions, no process outside, no environment of ours", async () => {
    expect((await run(`ls -A ${home}`)).text).toBe("");
    expect((await run(`test -e /proc/${process.pid}/environ`)).end).toEqual({ type: "exited", exitCode: 1 });
    expect((await run(`kill -0 ${process.pid}`)).end).toEqual({ type: "exited", exitCode: 1 });
  });

  test("reaches no network, not even this machine's; with `sandboxNetwork: on` it does", async () => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server that listens on a port has an address with one.
    const { port } = server.address() as AddressInfo;
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -1 <&3`;
    expect((await run(ask)).text).not.toContain("reached");
    const open = await openSandbox({ roots: [work], hidden: [], network: "on" });
    if (open.type === "missing") throw new Error(open.why);
    const online = nodeShell({ env, graceMs: 300, confine: open.sandbox.confine });
    expect((await run(ask, {}, online)).text).toContain("reached");
    await open.sandbox.close();
    server.close();
  });

  test("gives the exit code and the output that it gives without", async () => {
    for (const text of [
      "echo a; echo b >&2; exit 7",
      "true",
      "nonsense-command",
      "printf 'x\\0y'",
      'echo "$0 $#"; pwd',
    ])
      expect(await run(text)).toEqual(await run(text, {}, plain));
  });

  test("is ended at its time limit with all its children, also those that left its group", async () => {
    const mark = `varve-${process.pid}-${Date.now()}`;
    const ended = await run(`setsid bash -c 'exec -a ${mark} sleep 300' & sleep 300`, { timeoutMs: 500 });
    expect(ended.end).toEqual({ type: "timed-out" });
    const rows = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
    expect(rows.filter((row) => row.startsWith(mark))).toEqual([]);
  });
});
