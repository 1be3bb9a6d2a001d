import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readArguments } from "../../src/testing/simulate/arguments.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { usage } from "../../src/testing/simulate/usage.ts";
import { anthropicHeaders } from "./builders.ts";

const folder = mkdtempSync(join(tmpdir(), "simulate-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

describe("arguments", () => {
  test("are read into what is served, who answers and what is told", () => {
    const given = readArguments(
      "--port 0 --window 9000 --model-window a=b=7 --model mine=sim-chat --clock manual --now 2026-11-29T12:00:00Z --fault late:5@1x2 --fault reset --expect-no-violations --report=r.json".split(
        " ",
      ),
    );
    expect(given).toMatchObject({ mind: { type: "echo" }, noViolations: true, reportFile: "r.json" });
    expect(given.serve).toEqual({
      port: 0,
      windowTokens: 9_000,
      clock: "manual",
      startMs: Date.UTC(2026, 10, 29, 12),
      modelWindows: [["a=b", 7]],
      modelsLike: [["mine", "sim-chat"]],
      faults: [
        { kind: "late", value: 5, skip: 1, times: 2, wire: null, message: null },
        { kind: "reset", value: null, skip: 0, times: 1, wire: null, message: null },
      ],
    });
  });

  test("summaries are a list, one for each, or left to a module", () => {
    const summariesOf = (args: string) => readArguments(args.split(" ")).summaries;
    expect(summariesOf("--port 0")).toEqual([]);
    expect(summariesOf("--summaries empty,wrong-facts")).toEqual(["empty", "wrong-facts"]);
    expect(summariesOf("--brain b.mjs --summaries own")).toBe("own");
    expect(readArguments(["--fault", "too-long@1x2/summary"]).serve.faults).toEqual([
      { kind: "too-long", value: null, skip: 1, times: 2, wire: null, message: null, when: { summary: true } },
    ]);
  });

  test.each([
    ["--summaries terse", "--summaries takes own, or a list of good, empty, tool-call"],
    ["--summaries own", "--summaries own leaves them to the module of --brain; there is none"],
    ["--nonsense 1", "unknown option --nonsense; --help lists them"],
    ["serve", "unknown option serve; --help lists them"],
    ["--port", "--port needs a value"],
    ["--port 1 --port 2", "--port is given twice"],
    ["--port 70000", "--port takes a number up to 65535, not 70000"],
    ["--window many", '--window takes a whole number, not "many"'],
    ["--rounds -1", '--rounds takes a whole number, not "-1"'],
    ["--clock slow", "--clock takes one of real, manual, not slow"],
    ["--now yesterday", '--now takes a moment such as 2026-11-29T12:00:00Z, not "yesterday"'],
    ["--model-window 9", "--model-window takes MODEL=VALUE, not 9"],
    ["--model-window a=x", '--model-window takes a whole number, not "x"'],
    ["--fault overladen", '--fault overladen: unknown kind "overladen"; known: rate-limit, overloaded'],
    ["--fault late:fast", "--fault late:fast: a fault is KIND[:value][@skip][xTimes]"],
    ["--script a --replay b", "--script and --replay both say who answers; give one"],
    ["--script a --rounds 2", "--rounds is of the echo brain; with --script it says nothing"],
    ["--expect-no-violations=yes", "--expect-no-violations takes no value"],
  ])("%s is refused in words", (args, why) => {
    expect(() => readArguments(args.split(" "))).toThrow(why);
  });

  test("all stand in the help", () => {
    const source = readFileSync(join(import.meta.dirname, "../../src/testing/simulate/arguments.ts"), "utf8");
    const names = [...source.matchAll(/^ {2}"?([a-z-]+)"?: "(?:once|many|flag)",$/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) expect(usage).toMatch(new RegExp(`^ {2}--${name}[ \\n]`, "m"));
  });
});

describe("as a process", () => {
  test.each<[readonly string[], RegExp]>([
    [["--script", join(folder, "none.json")], /none\.json cannot be read: ENOENT/],
    [["--script", file("broken.json", "[{")], /broken\.json is not JSON/],
    [["--script", file("wrong.json", [{ txet: "x" }])], /wrong\.json: step 1: "txet" is unknown; known: text/],
    [["--replay", file("empty.jsonl", "")], /empty\.jsonl holds no replies/],
    [["--model", "mine=unheard-of"], /the model table has no unheard-of/],
    [["--brain", join(folder, "none.mjs")], /none\.mjs cannot be loaded/],
  ])("wrong arguments end it with 2 and one line: %j", (args, why) => {
    const main = join(import.meta.dirname, "../../src/testing/simulate/main.ts");
    const ran = spawnSync(process.execPath, [main, ...args], { encoding: "utf8", timeout: 30_000 });
    expect([ran.status, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toMatch(why);
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
  });

  const ask = async (url: string, body: object) => {
    const sent = { model: "sim-plain", max_tokens: 50, messages: [{ role: "user", content: "hello" }], ...body };
    return fetch(`${url}/v1/messages`, { method: "POST", headers: anthropicHeaders, body: JSON.stringify(sent) });
  };

  test("an expectation that failed ends it with 1, and the report says which", async () => {
    const report = join(folder, "report.json");
    const script = file("script.json", [{ expect: { contains: "good bye" } }, { text: "hi" }]);
    const simulator = await spawnSimulator(["--script", script, "--report", report], 60_000);
    await ask(simulator.url, {});
    expect(await simulator.stop()).toBe(1);
    const told = JSON.parse(readFileSync(report, "utf8"));
    expect(told).toMatchObject({ requests: 1, script: { given: 1, left: 0 } });
    expect(told.script.failures).toEqual(['step 1: what came last should hold "good bye"']);
  });

  test("a request that breaks a rule ends it with 1 only where that was asked for", async () => {
    const start = (args: readonly string[]) => spawnSimulator(args, 60_000);
    const [strict, plain] = [await start(["--expect-no-violations"]), await start([])];
    for (const { url } of [strict, plain]) expect((await ask(url, { messages: [] })).status).toBe(400);
    expect([await strict.stop(), await plain.stop()]).toEqual([1, 0]);
  });

  const summary = { messages: [{ role: "user", content: "<summary-request>" }], max_tokens: 2_000 };
  const textOf = async (response: Response) => (await response.json()).content[0]?.text;

  test("whoever answers, a summary is made beside it, as it is told and then well, unless a module has its own", async () => {
    const brain = file("brain.mjs", 'export default () => ({ text: "mine" });');
    const script = file("two.json", [{ text: "one" }, { text: "two" }]);
    const said = async (args: readonly string[]) => {
      const { url, stop } = await spawnSimulator(args, 60_000);
      const texts = [];
      for (const body of [summary, {}, summary]) texts.push(await textOf(await ask(url, body)));
      await stop();
      return texts;
    };
    const good = expect.stringContaining("1. Goal");
    expect(await said(["--brain", brain])).toEqual([good, "mine", good]);
    expect(await said(["--brain", brain, "--summaries", "own"])).toEqual(["mine", "mine", "mine"]);
    const junk = expect.stringContaining("Sure!");
    expect(await said(["--script", script, "--summaries", "junk"])).toEqual([junk, "one", good]);
    expect(await said(["--summaries", "junk"])).toEqual([junk, expect.stringContaining("Done"), good]);
  });

  test("a moved start of the clock is where a manual one stands", async () => {
    const simulator = await spawnSimulator(["--clock", "manual", "--now", "2030-01-01"], 60_000);
    const answer = await (await fetch(`${simulator.url}/_sim/clock`)).json();
    expect(answer).toEqual({ now: Date.UTC(2030, 0, 1) });
    expect(await simulator.stop()).toBe(0);
  });
});
