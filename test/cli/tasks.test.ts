import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, inScene, tell } from "../support/varve-process.ts";

const free = ["--permission-mode", "bypassPermissions"];
const server =
  "echo $$ > server.pid; trap 'echo asked >> asked.txt; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
const background = call("Bash", { command: server, background: true });
const written = call("Bash", { command: "while [ ! -s server.pid ]; do sleep 0.05; done" });

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const pidIn = (work: string) => Number(readFileSync(join(work, "server.pid"), "utf8"));
async function gone(pid: number): Promise<void> {
  for (let tries = 0; isAlive(pid); tries += 1) {
    if (tries > 1_000) throw new Error(`process ${pid} lives on`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a run that is done asks its tasks to end, logs it, and the next run is told once", () =>
  inScene("anthropic", async ({ place, run, ask, entries, provider }) => {
    const turn = await ask(tell(background, written, { text: "served" }), free);
    expect(turn, turn.stderr).toMatchObject({ code: 0, stdout: "served\n" });
    await gone(pidIn(place.work));
    expect(place.read("asked.txt").toString()).toBe("asked\n");
    expect(await entries("background-started", "background-ended")).toMatchObject([
      { task: "task_1", command: server },
      { task: "task_1", ending: "killed", output: expect.stringContaining("ready") },
    ]);
    const next = await run(["-p", "--continue", "and now?"]);
    expect(next, next.stderr).toMatchObject({ code: 0, stdout: "heard: and now?\n" });
    expect((await entries("reminder-added")).filter(({ source }) => source === "task_1")).toHaveLength(1);
    expect((await provider.records()).filter(({ violation }) => violation !== null)).toEqual([]);
  }));

test("kill -9 leaves no task behind; the session goes on and says that its outcome is unknown", () =>
  inScene("chat", async ({ place, run, start, entries }) => {
    const running = start(["-p", tell(background, written, call("Bash", { command: "sleep 1000" })), ...free]);
    await running.said(/sleep 1000/);
    running.child.kill("SIGKILL");
    await running.ended;
    await gone(pidIn(place.work));
    const next = await run(["-p", "--continue", "and now?"]);
    expect(next, next.stderr).toMatchObject({ code: 0, stdout: "heard: and now?\n" });
    expect(await entries("background-ended")).toMatchObject([{ task: "task_1", ending: "unknown" }]);
  }));

test("Ctrl-C stops the turn first; the tasks end with the run, by their own exit", () =>
  inScene("anthropic", async ({ place, start, entries }) => {
    const running = start(["-p", tell(background, written, call("Bash", { command: "sleep 1000" })), ...free]);
    await running.said(/sleep 1000/);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    await gone(pidIn(place.work));
    expect(place.read("asked.txt").toString()).toBe("asked\n");
    expect(await entries("background-ended")).toMatchObject([{ ending: "killed" }]);
  }));

test("a server for searches makes the tool there; a project's file alone does not", () =>
  inScene("anthropic", async ({ place, run }) => {
    const settings = JSON.stringify({ webSearch: { endpoint: "http://127.0.0.1:9/search" } });
    place.write(".varve/settings.json", settings);
    const without = await run(["-p", tell(call("WebSearch", { query: "x" }), { text: "end" })]);
    expect(without.stderr).toContain("was not approved");
    const log = await run(["log", "--json"]);
    expect(log.stdout).toContain('There is no tool named \\"WebSearch\\"');
    const given = await run([
      "-p",
      tell(call("WebSearch", { query: "x" }), { text: "end" }),
      "--settings",
      settings,
      ...free,
    ]);
    expect(given, given.stderr).toMatchObject({ code: 0, stdout: "end\n" });
    expect((await run(["log", "--json"])).stdout).toContain("The search server could not be asked");
  }));
