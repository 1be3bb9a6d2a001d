import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstForm } from "../../src/digest/first-form.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Shell } from "../../src/ports/shell.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());
const bash = (command: string, more: object = {}) => world.run("Bash", { command, ...more });

test("runs in the working directory; silence is said", async () => {
  expect(await bash("pwd")).toMatchObject({ ending: "done", output: `${world.root}\n`, exitCode: 0, form: "output" });
  expect((await bash("true")).output).toBe("[no output]");
});

test("a failing exit code is an ending and a line", async () => {
  expect(await bash("echo out; echo err >&2; exit 3")).toMatchObject({
    ending: "failed",
    output: "out\nerr\n[exit code 3]",
    exitCode: 3,
  });
  expect(await bash("false")).toMatchObject({ output: "[exit code 1]" });
  expect(await bash("kill -9 $$")).toMatchObject({ exitCode: 137, output: "[ended by SIGKILL]\n[exit code 137]" });
  for (const [signal, exitCode] of [
    ["SEGV", 139],
    ["USR1", 138],
    ["XCPU", 152],
    ["SYS", 159],
  ] as const) {
    const output = `[ended by SIG${signal}]\n[exit code ${exitCode}]`;
    expect(await bash(`kill -${signal} $$`)).toMatchObject({ ending: "failed", exitCode, output });
  }
});

test("C-021 · a command that never ends is timed out, with what it printed and after how long", async () => {
  expect(await bash("echo begun; sleep 1000", { timeoutMs: 150 })).toMatchObject({
    ending: "timed-out",
    exitCode: null,
    output: expect.stringMatching(/^begun\n\[timed out after 150 ms/),
  });
});

test("C-021 · an abort ends it, and what it printed is kept", async () => {
  const abort = new AbortController();
  const running = world.run("Bash", { command: "echo started; sleep 1000" }, abort.signal);
  const poll = setInterval(() => world.progress().includes("started") && abort.abort(), 5);
  const outcome = await running;
  clearInterval(poll);
  expect(outcome).toMatchObject({ ending: "interrupted", output: expect.stringContaining("started\n[interrupted") });
});

test("background processes end with the call, and that is said", async () => {
  expect((await bash("sleep 1000 & echo on")).output).toBe(
    "on\n[processes left in the background were ended with the command]",
  );
});

test("C-127 · no secret reaches the command", async () => {
  expect((await bash("env; ps -o args= -p $$ -p $PPID")).output).not.toContain("TESTKEY");
});

test("C-061 · 50,000 lines, the failure on stderr and exit code 1 are all in the form", async () => {
  const outcome = await bash("for i in $(seq 50000); do echo ok $i; done; echo 'FAILED: 3 of 900' >&2; exit 1");
  expect(outcome.output.split("\n")).toHaveLength(50_002);
  const { text } = firstForm({
    tool: "Bash",
    text: outcome.output,
    exitCode: outcome.exitCode,
    form: outcome.form,
    handle: brand("abc"),
  });
  expect(text).toMatch(/^ok 1\n/);
  expect(text).toContain("ok 50000\nFAILED: 3 of 900\n[exit code 1]\n");
  expect(text).toMatch(/left out: \d+ lines/);
});

test("law 10 · what one call may capture is bounded, beginning and end are kept, the rest is counted", async () => {
  const bytes = bounds.captureBytesMax + 1_000_000;
  const outcome = await bash(`echo first; head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo last`);
  expect(outcome.output.startsWith("first\nx")).toBe(true);
  expect(outcome.output.endsWith("x\nlast\n")).toBe(true);
  const left = Number(/… (\d+) bytes were not kept/.exec(outcome.output)?.[1]);
  expect(left).toBe(bytes + 12 - bounds.captureBytesMax);
});

describe("input", () => {
  const why = (input: unknown) => {
    const parsed = world.tools.find((tool) => tool.declaration.name === "Bash")?.parse(input);
    return parsed?.type === "bad" ? parsed.why : "ok";
  };
  test("names the field, what was expected, what came", () => {
    expect(why({})).toBe("Bash: command: missing; expected string.");
    expect(why({ command: "x", timeoutMs: "soon" })).toBe(
      'Bash: timeoutMs: expected integer >= 1 <= 600000, got "soon" (string).',
    );
    expect(why({ command: "x", timeoutMs: bounds.commandMsMax + 1 })).toContain("expected integer");
    expect(why({ cmd: "x" })).toBe(
      "Bash: cmd: unknown field; the fields are command, timeoutMs?, description?, background?.\ncommand: missing; expected string.",
    );
    expect(why([])).toBe(
      "Bash: the input must be an object with command, timeoutMs?, description?, background?; got array.",
    );
    expect(why({ command: ["ls"] })).toBe('Bash: command: expected string, got ["ls"] (array).');
    expect(why({ command: " " })).toContain("white space");
    expect(why({ command: "a\0b" })).toContain("NUL");
    expect(why(JSON.parse('{"command":"x","__proto__":1}'))).toContain("__proto__: unknown field");
  });
  test("is lenient about quotes, null and doubly encoded objects", () => {
    expect(why({ command: "x", timeoutMs: "500", description: null })).toBe("ok");
    expect(why('{"command":"x"}')).toBe("ok");
    expect(why({ command: null })).toBe("Bash: command: missing; expected string.");
  });
});

test("law 10 · a command without a limit of its own gets the default one", async () => {
  const limits: number[] = [];
  const none = { head: "", bytesLeftOut: 0, tail: "" };
  const shell: Shell = {
    run: async (request) => {
      limits.push(request.timeoutMs);
      return { end: { type: "exited", exitCode: 0 }, output: none, errorOutput: none, leftBehind: "none" };
    },
  };
  for (const input of [{ command: "x" }, { command: "x", timeoutMs: 5 }]) {
    const parsed = bashTool({ shell, background: world.background }).parse(input);
    if (parsed.type === "ok") {
      const context = {
        cwd: "/",
        seen: () => null,
        original: async () => null,
        mode: () => "default" as const,
        modeBefore: () => "default" as const,
        tasksStarted: () => 0,
        tasksEnded: () => ({}),
        onProgress: () => {},
      };
      await parsed.call.run(context, new AbortController().signal);
    }
  }
  expect(limits).toEqual([bounds.commandMsDefault, 5]);
});

test("law 10 · a command as long as the system takes runs, one longer is told so before anything starts", async () => {
  const padded = (bytes: number) => `echo ran # ${"é".repeat((bytes - 11) >> 1)}${"x".repeat((bytes - 11) & 1)}`;
  expect(await bash(padded(bounds.commandBytesMax))).toMatchObject({ ending: "done", output: "ran\n" });
  const parsed = bashTool({
    shell: { run: () => Promise.reject(new Error("started")) },
    background: world.background,
  }).parse({
    command: padded(bounds.commandBytesMax + 1),
  });
  expect(parsed).toMatchObject({ type: "bad", why: expect.stringContaining("131072 bytes; a shell takes at most") });
});
