import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookVariables, shellHooks } from "../../src/adapters/hook-run.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { HookInput } from "../../src/ports/hooks.ts";

const cwd = mkdtempSync(join(tmpdir(), "varve-hooks-"));
const env = { PATH: process.env.PATH, MY_API_KEY: "sk-secret-value-1", PLAIN: "seen" };
const shell = nodeShell({ env, graceMs: 200, childEnv: { pass: [], set: hookVariables(cwd) } });
const hooks = shellHooks(shell, [], { session: "s1", transcript: "/t/main.jsonl", cwd });

async function run(
  command: string,
  input: HookInput = {},
  { timeoutMs = 20_000, signal = new AbortController().signal } = {},
) {
  const ran = await hooks.run({ event: "PreToolUse", command, timeoutMs, file: "f" }, input, signal);
  expect(leftOf(ran.output)).toEqual([]);
  return ran;
}

/** Processes that a test's hook named, and that are still there; one that nobody collected has no command line any more. */
function leftOf(output: string): readonly string[] {
  return (output.match(/^pid \d+$/gm) ?? []).filter((line) => {
    try {
      return readFileSync(`/proc/${line.slice(4)}/cmdline`, "utf8") !== "";
    } catch {
      return false;
    }
  });
}

test("a hook is told of session, transcript, folder, event and call, and sees the folder in its environment but no secret", async () => {
  const { end, output } = await run(
    'cat; echo; echo "$CLAUDE_PROJECT_DIR $VARVE_PROJECT_DIR $PLAIN [$MY_API_KEY] $PWD"',
    {
      permission_mode: "default",
      tool_name: "Bash",
      tool_input: { command: 'echo "hi"' },
    },
  );
  const [told = "", variables] = output.split("\n");
  expect(end).toEqual({ type: "exited", exitCode: 0 });
  expect(JSON.parse(told)).toEqual({
    session_id: "s1",
    transcript_path: "/t/main.jsonl",
    cwd,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command: 'echo "hi"' },
  });
  expect(variables).toBe(`${cwd} ${cwd} seen [] ${cwd}`);
});

test("the two streams stay apart, and the exit code is the command's", async () => {
  expect(await run("echo out; echo err >&2; exit 2")).toEqual({
    end: { type: "exited", exitCode: 2 },
    output: "out\n",
    errorOutput: "err\n",
  });
});

test("one that crashes, is not there, or hangs ends, and says how", async () => {
  expect((await run("kill -SEGV $$")).end).toEqual({ type: "killed", signal: "SIGSEGV" });
  expect((await run("no-such-program-at-all")).end).toEqual({ type: "exited", exitCode: 127 });
  expect((await run("echo pid $$; sleep 60", {}, { timeoutMs: 200 })).end).toEqual({ type: "timed-out" });
});

test("one that will not end is made to, with all it started", async () => {
  const ran = await run(
    "trap '' TERM; sleep 60 & echo pid $!; echo pid $$; while :; do sleep 1; done",
    {},
    { timeoutMs: 300 },
  );
  expect(ran.end).toEqual({ type: "timed-out" });
});

test("what it leaves running in the background ends with it and holds nobody up", async () => {
  const ran = await run("sleep 60 & echo pid $!");
  expect(ran.end).toEqual({ type: "exited", exitCode: 0 });
});

test.each(["", " >&2"])("a flood (100 MB%s) is cut and ended long before its end", async (to) => {
  const ran = await run(`echo pid $$; head -c 100000000 /dev/zero${to}`);
  expect(ran.end).toEqual({ type: "flooded" });
  expect(ran.output.length + ran.errorOutput.length).toBeLessThan(bounds.hookOutputBytesMax + 200);
});

test("bytes that are no text come as such, and a text that is not read holds nobody up", async () => {
  const { output, end } = await run("printf '\\377\\376\\0x'", { prompt: "y".repeat(bounds.hookInputCharsMax) });
  expect({ output, end }).toEqual({ output: "\ufffd\ufffd\0x", end: { type: "exited", exitCode: 0 } });
  expect((await run("exec <&-; sleep 0.2; exit 3", { prompt: "y".repeat(200_000) })).end).toEqual({
    type: "exited",
    exitCode: 3,
  });
});

test("a text longer than its limit is cut before the hook is told of it, and says by how much", async () => {
  const long = "y".repeat(bounds.hookInputCharsMax + 5);
  const { output, told } = await run("cat", { tool_response: { output: long } });
  expect(output).toContain("yyy … and 5 more characters");
  expect(told).toBe("beginnings");
  expect(await run("true", { tool_input: { content: long.slice(5) } })).not.toHaveProperty("told");
});

test("an interrupt ends it with what it started; one that comes before it starts nothing", async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  const ran = await run("sleep 60 & echo pid $!; echo pid $$; wait", {}, { signal: stop.signal });
  expect(ran.end).toEqual({ type: "interrupted" });
  expect(await run("echo started", {}, { signal: stop.signal })).toMatchObject({ output: "" });
});

test("what cannot be started is an end, not an exception", async () => {
  const nowhere = shellHooks(shell, [], { session: "s", transcript: "t", cwd: join(cwd, "gone") });
  const ran = await nowhere.run(
    { event: "Stop", command: "true", timeoutMs: 1_000, file: "f" },
    {},
    new AbortController().signal,
  );
  expect(ran.end.type).toBe("not-started");
});
