import { expect, test } from "vitest";
import { shellBackground } from "../../src/adapters/background.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Background } from "../../src/ports/background.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { createWorld } from "./world.ts";

test("a background command is started, looked at until it ends, and known by its handle after that", async () => {
  const world = await createWorld();
  const started = await world.run("Bash", { command: "echo up; sleep 0.2; echo down; exit 7", background: true });
  expect(started).toMatchObject({
    ending: "done",
    notes: [{ type: "background", task: "task_1", command: "echo up; sleep 0.2; echo down; exit 7" }],
  });
  const look = await world.run("TaskOutput", { task: "task_1", waitMs: 60_000 });
  expect(look).toMatchObject({ ending: "done", form: "output" });
  expect(look.output).toBe(
    "[task_1 ended with exit code 7; the report of its end gives a handle for all of it]\nup\ndown\n",
  );
  world.tasksEnded.task_1 = { ending: "exited", exitCode: 7, handle: brand("abc") };
  expect(await world.text("TaskOutput", { task: "task_1" })).toBe(
    "[task_1 ended with exit code 7; all of it: recall handle=abc]\n[no new output]",
  );
  expect(await world.text("TaskStop", { task: "task_1" })).toBe("task_1 has ended already.");
  world.remove();
});

test("a task of an earlier process is known from the log alone; one that never was is refused with those that run", async () => {
  const world = await createWorld();
  world.tasksEnded.task_4 = { ending: "unknown", exitCode: null, handle: brand("def") };
  expect(await world.text("TaskOutput", { task: "task_4" })).toBe(
    "task_4 has ended (unknown); all it printed: recall handle=def",
  );
  expect(await world.text("TaskStop", { task: "task_4" })).toContain("recall handle=def");
  await world.run("Bash", { command: "sleep 1000", background: true });
  for (const tool of ["TaskOutput", "TaskStop"])
    for (const task of ["task_9", "constructor", ""])
      expect(await world.run(tool, { task })).toMatchObject({
        ending: "failed",
        output: expect.stringContaining("Running: task_1"),
      });
  expect(await world.text("TaskStop", { task: "task_1" })).toBe("task_1 was stopped.");
  world.remove();
});

test("a background command is as checked as any other: empty, too long or with a NUL it does not start", async () => {
  const world = await createWorld();
  for (const command of [" ", "a\0b", "x".repeat(200_000)])
    await expect(world.run("Bash", { command, background: true })).rejects.toThrow("command:");
  expect(world.background.running()).toEqual([]);
  world.remove();
});

test("law 10 · a background command without a limit of its own has the default one", async () => {
  const limits: number[] = [];
  const background: Background = {
    ...shellBackground({ run: () => Promise.reject(new Error("not used")) }),
    start: ({ timeoutMs }) => {
      limits.push(timeoutMs);
      return { type: "refused", why: "enough" };
    },
  };
  const world = await createWorld();
  const tool = bashTool({ shell: world.shell, background });
  for (const more of [{}, { timeoutMs: 5 }]) {
    const parsed = tool.parse({ command: "x", background: true, ...more });
    if (parsed.type === "bad") throw new Error(parsed.why);
    expect(await parsed.call.run(world.context, new AbortController().signal)).toMatchObject({
      output: "Not started: enough.",
    });
  }
  expect(limits).toEqual([bounds.taskMsMax, 5]);
  world.remove();
});
