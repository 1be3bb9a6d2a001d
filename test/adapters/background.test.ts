import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shellBackground } from "../../src/adapters/background.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import { createUnread } from "../../src/adapters/unread.ts";
import { bounds } from "../../src/kernel/bounds.ts";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "varve-tasks-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shell = nodeShell({ env: { PATH: process.env.PATH }, graceMs: 200 });
const started = (command: string, more: { timeoutMs?: number } = {}) => {
  const background = shellBackground(shell);
  const result = background.start({ number: 1, command, cwd: folder, timeoutMs: 60_000, ...more });
  expect(result).toEqual({ type: "started", task: "task_1" });
  return background;
};
const alive = (pid: number) => {
  try {
    // A dead process that nobody has collected yet is no living one.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const until = async (holds: () => boolean) => {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 1_500) throw new Error("it did not come to hold");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const pidIn = async (file: string) => {
  const path = join(folder, file);
  await until(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
  return Number(readFileSync(path, "utf8"));
};

test("a task goes on after its start; each look shows what is new, and its end comes with all of it", async () => {
  const background = started("echo one; while [ ! -e go1 ]; do sleep 0.02; done; echo two; exit 3");
  let seen = "";
  await until(() => {
    seen += background.look("task_1")?.text ?? "";
    return seen === "one\n";
  });
  expect(background.look("task_1")).toEqual({ text: "", charsLeftOut: 0, end: null });
  expect(background.running()).toEqual(["task_1"]);
  await shell.run(
    { command: { type: "script", text: "touch go1" }, cwd: folder, timeoutMs: 5_000, bytesMax: 10 },
    new AbortController().signal,
  );
  const result = await background.ended("task_1");
  expect(result).toMatchObject({
    end: { type: "exited", exitCode: 3 },
    output: { head: "one\ntwo\n", bytesLeftOut: 0 },
  });
  expect(background.look("task_1")).toEqual({ text: "two\n", charsLeftOut: 0, end: { type: "exited", exitCode: 3 } });
  expect(background.running()).toEqual([]);
});

test("a character that the pipe cuts in two is whole in the looks and in the end", async () => {
  const background = started(String.raw`printf '\xe4\xb8'; sleep 0.3; printf '\xad\xe6\x96\x87\n'`);
  let seen = "";
  await until(() => {
    seen += background.look("task_1")?.text ?? "";
    return seen.endsWith("\n");
  });
  expect(seen).toBe("中文\n");
  expect((await background.ended("task_1")).output.head).toBe("中文\n");
});

test("law 10 · 100 MB of output are counted: a look keeps the newest, the end beginning and end", async () => {
  const background = started("yes 0123456789abcde | head -c 104857600; echo last");
  const { output, end } = await background.ended("task_1");
  expect(end).toEqual({ type: "exited", exitCode: 0 });
  expect(output.bytesLeftOut).toBe(104_857_605 - bounds.captureBytesMax);
  expect(output.tail.endsWith("last\n")).toBe(true);
  const look = background.look("task_1");
  expect(look?.text.length).toBe(bounds.taskLookCharsMax);
  expect(look?.charsLeftOut).toBe(104_857_605 - bounds.taskLookCharsMax);
  expect(look?.text.endsWith("last\n")).toBe(true);
});

test("a task that ignores the polite signal is made to end, and so is what it started", async () => {
  const background = started(
    "trap '' TERM; (trap '' TERM; echo $BASHPID > child.pid; while :; do sleep 0.05; done) & echo $$ > own.pid; while :; do sleep 0.05; done",
  );
  const [own, child] = [await pidIn("own.pid"), await pidIn("child.pid")];
  expect(await background.stop("task_1")).toEqual({ type: "interrupted" });
  await until(() => !alive(own) && !alive(child));
  expect(await background.stop("task_1")).toBeNull();
});

test("a task that cannot start, or runs out of its time, has an end that says so", async () => {
  const background = shellBackground(shell);
  background.start({ number: 1, command: "true", cwd: join(folder, "nowhere"), timeoutMs: 1_000 });
  background.start({ number: 2, command: "echo so far; sleep 100", cwd: folder, timeoutMs: 300 });
  expect((await background.ended("task_1")).end.type).toBe("not-started");
  expect(await background.ended("task_2")).toMatchObject({ end: { type: "timed-out" }, output: { head: "so far\n" } });
  expect((await background.ended("task_9")).end.type).toBe("not-started");
  expect(background.look("task_9")).toBeNull();
});

test("law 10 · of 50 tasks at once the first run, the others are refused; stopping all ends every one, and none starts then", async () => {
  const background = shellBackground(shell);
  const start = (number: number) => background.start({ number, command: "sleep 1000", cwd: folder, timeoutMs: 60_000 });
  const results = Array.from({ length: 50 }, (_, at) => start(at + 1));
  expect(results.filter(({ type }) => type === "started")).toHaveLength(bounds.tasksMax);
  expect(results.at(-1)).toMatchObject({ type: "refused", why: expect.stringContaining("task_1, task_2") });
  await background.stopAll();
  expect(background.running()).toEqual([]);
  const ends = await Promise.all(
    Array.from({ length: bounds.tasksMax }, (_, at) => background.ended(`task_${at + 1}`)),
  );
  expect(new Set(ends.map(({ end }) => end.type))).toEqual(new Set(["interrupted"]));
  expect(start(60)).toEqual({ type: "refused", why: "the session is being closed" });
});

test("law 10 · 50 tasks one after another: names go on, of the oldest only the log still knows", async () => {
  const none = { head: "", bytesLeftOut: 0, tail: "" };
  const background = shellBackground({
    run: async () => ({ end: { type: "exited", exitCode: 0 }, output: none, errorOutput: none, leftBehind: "none" }),
  });
  for (let number = 1; number <= 50; number += 1) {
    const result = background.start({ number, command: "x", cwd: "/", timeoutMs: 1 });
    expect(result).toEqual({ type: "started", task: `task_${number}` });
    await background.ended(`task_${number}`);
  }
  const known = Array.from({ length: 50 }, (_, at) => background.look(`task_${at + 1}`)).filter(
    (look) => look !== null,
  );
  expect(known).toHaveLength(bounds.tasksRememberedMax);
});

test("a name that is taken is left to its task: the next number is used", async () => {
  const background = started("sleep 1000");
  const second = background.start({ number: 1, command: "true", cwd: folder, timeoutMs: 5_000 });
  expect(second).toEqual({ type: "started", task: "task_2" });
  await background.stopAll();
});

test("waiting for a task ends with the task, with its time, or with the signal", async () => {
  const background = started("sleep 0.2");
  const { signal } = new AbortController();
  await background.wait("task_1", 0, signal);
  await background.wait("task_1", 20, signal);
  expect(background.running()).toEqual(["task_1"]);
  await background.wait("task_1", 20, AbortSignal.abort());
  await background.wait("task_1", 60_000, signal);
  expect(background.running()).toEqual([]);
});

test("a process that is killed with no chance to do anything leaves no task behind", async () => {
  const program = `
    import { shellBackground } from ${JSON.stringify(join(import.meta.dirname, "../../src/adapters/background.ts"))};
    import { nodeShell } from ${JSON.stringify(join(import.meta.dirname, "../../src/adapters/shell.ts"))};
    const background = shellBackground(nodeShell({ env: process.env }));
    background.start({ number: 1, command: "echo $$ > guarded.pid; sleep 1000", cwd: ${JSON.stringify(folder)}, timeoutMs: 600000 });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
  const pid = await pidIn("guarded.pid");
  expect(alive(pid)).toBe(true);
  child.kill("SIGKILL");
  await until(() => !alive(pid));
});

describe("unread output", () => {
  test("is cut at whole characters, whatever their width", () => {
    const unread = createUnread(3);
    unread.add("ab😀😀");
    expect(unread.take()).toEqual({ text: "😀", charsLeftOut: 4 });
    expect(unread.take()).toEqual({ text: "", charsLeftOut: 0 });
  });

  test("never holds more than twice its room and the newest part", () => {
    const unread = createUnread(10);
    for (let at = 0; at < 1_000; at += 1) unread.add(`${at % 10}`);
    expect(unread.take()).toEqual({ text: "0123456789", charsLeftOut: 990 });
  });
});
