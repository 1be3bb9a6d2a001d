import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { asking, entryOf, methodsIn, serversForTests, stateOf, stubLaunch, until } from "../support/stub-servers.ts";

const world = serversForTests();
afterAll(world.end);
const { file } = world;
const tools = [{ name: "echo", description: "says it again", inputSchema: { type: "object", properties: {} } }];
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const said = (words: string) => ({
  type: "answer",
  isError: false,
  content: [{ type: "text", text: words }],
  structured: undefined,
});

describe("starting", () => {
  test("a server is listed with what it said, of either era of the protocol, whatever it does at the question for the newer", async () => {
    const eras = ["older", "newer", "ends"];
    const { servers, notes } = world.start(
      eras.map((era) => entryOf(era, stubLaunch({ era, tools, instructions: `I am ${era}` }))),
    );
    expect(servers.now().map(({ name, status }) => [name, status.type])).toEqual([
      ["ends", "starting"],
      ["newer", "starting"],
      ["older", "starting"],
    ]);
    await servers.settled(60_000);
    expect(servers.now().map(({ name, status, instructions }) => [name, status, instructions])).toEqual([
      ["ends", { type: "ready", revision: "2025-06-18" }, "I am ends"],
      ["newer", { type: "ready", revision: "2026-07-28" }, "I am newer"],
      ["older", { type: "ready", revision: "2025-06-18" }, "I am older"],
    ]);
    for (const state of servers.now()) expect(state.tools.map(({ name }) => name)).toEqual(["echo"]);
    for (const server of eras) {
      const answer = await servers.call({ server, tool: "echo", input: { a: 1 } }, asking().asked);
      expect(answer).toEqual(said('{"a":1}'));
    }
    expect(servers.now()).toBe(servers.now());
    expect(notes).toEqual([]);
  });

  test("what is off is not started and says why; what cannot be started says so and is not tried again", async () => {
    const { servers } = world.start([
      { ...entryOf("off", stubLaunch({})), off: "disabled" },
      { ...entryOf("odd", stubLaunch({})), launch: null, off: "its entry cannot be read" },
      entryOf("none", { type: "stdio", command: "/no/such/program", args: [], env: {}, cwd: world.folder }),
    ]);
    await servers.settled(60_000);
    const why = `cannot be started: /no/such/program (in the folder ${world.folder}): no such file or folder`;
    expect(stateOf(servers, "none").status).toEqual({ type: "failed", why, retryAt: null });
    expect(stateOf(servers, "off").status).toEqual({ type: "off", why: "disabled" });
    const answer = await servers.call({ server: "off", tool: "x", input: {} }, asking().asked);
    expect(answer).toEqual({ type: "failed", why: 'The MCP server "off" is off: disabled.' });
    expect(await servers.call({ server: "who", tool: "x", input: {} }, asking().asked)).toEqual({
      type: "failed",
      why: 'There is no MCP server "who".',
    });
  });

  test("C-053 · a server that never answers holds nobody up, and is failed when its time is over", async () => {
    const clock = manualClock();
    const { servers } = world.start(
      [entryOf("healthy", stubLaunch({ tools })), entryOf("silent", stubLaunch({ silent: true }))],
      clock,
    );
    await until(() => stateOf(servers, "healthy").status.type === "ready");
    const settled = servers.settled(5_000);
    await clock.advance(5_000);
    await settled;
    expect(stateOf(servers, "silent").status.type).toBe("starting");
    await clock.advance(bounds.serverStartMsMax);
    await until(() => stateOf(servers, "silent").status.type === "failed");
    expect(stateOf(servers, "silent").status).toMatchObject({
      why: "did not answer within 30 s of its start",
      retryAt: clock.now() + bounds.serverRetryMsFirst,
    });
    expect(stateOf(servers, "healthy").tools).toHaveLength(1);
  });

  test("a server that ends at its start is tried again, later each time, until it is given up; a call asks once more", async () => {
    const clock = manualClock();
    const log = file();
    const script = { log, stderr: "no licence\n", startMs: 1, era: "ends", errors: { initialize: -1 } };
    const { servers } = world.start([entryOf("s", stubLaunch(script))], clock);
    for (let tries = 1; tries <= bounds.serverStartsMax; tries += 1) {
      await until(() => stateOf(servers, "s").status.type === "failed");
      const isLast = tries === bounds.serverStartsMax;
      expect(stateOf(servers, "s").status).toEqual({
        type: "failed",
        why: "answered with an error (-1): no",
        retryAt: isLast ? null : clock.now() + bounds.serverRetryMsFirst * 2 ** (tries - 1),
      });
      if (!isLast) await clock.advance(bounds.serverRetryMsFirst * 2 ** (tries - 1));
    }
    const before = methodsIn(log).length;
    const answer = await servers.call({ server: "s", tool: "x", input: {} }, asking().asked);
    expect(answer.type).toBe("failed");
    expect(methodsIn(log).length).toBeGreaterThan(before);
  });
});

test("a server that answers both questions with an error is started once: it did not end at the first", async () => {
  const log = file();
  const { servers } = world.start([entryOf("s", stubLaunch({ log, errors: { initialize: -1 } }))], manualClock());
  await until(() => stateOf(servers, "s").status.type === "failed");
  expect(methodsIn(log)).toEqual(["server/discover", "initialize", "end"]);
});

describe("calls", () => {
  test("C-051 · an error of the server's is its own words, whatever its schema says; so is a result without structure", async () => {
    const outputSchema = {
      type: "object",
      properties: { ok: { type: "boolean" }, ref: { type: "string" } },
      required: ["ok", "ref"],
    };
    const calls = {
      push: { result: { isError: true, ...text("push rejected"), structuredContent: { code: 7 } } },
      good: { result: { isError: false, content: [], structuredContent: { ok: true, ref: "x" } } },
      plain: { result: text("fine") },
    };
    const listed = Object.keys(calls).map((name) => ({ name, inputSchema: { type: "object" }, outputSchema }));
    for (const era of ["older", "newer"]) {
      const { servers } = world.start([entryOf("s", stubLaunch({ era, tools: listed, calls }))]);
      const call = (tool: string) => servers.call({ server: "s", tool, input: {} }, asking().asked);
      expect(await call("push")).toEqual({
        type: "answer",
        isError: true,
        content: [{ type: "text", text: "push rejected" }],
        structured: { code: 7 },
      });
      expect(await call("good")).toMatchObject({ isError: false, content: [], structured: { ok: true, ref: "x" } });
      expect(await call("plain")).toEqual(said("fine"));
    }
  });

  test("C-053 · a call without an answer ends in its time, the server is told, its late answer is dropped and the next call works", async () => {
    const clock = manualClock();
    const log = file();
    const calls = { slow: { hang: true }, next: { late: true, result: text("fine") } };
    const { servers } = world.start([entryOf("s", stubLaunch({ log, tools, calls }), 5_000)], clock);
    await until(() => stateOf(servers, "s").status.type === "ready");
    const slow = servers.call({ server: "s", tool: "slow", input: {} }, asking().asked);
    await until(() => methodsIn(log).includes("tools/call"));
    await clock.advance(5_000);
    expect(await slow).toEqual({ type: "timed-out", why: 'The MCP server "s" gave no answer within 5 s.' });
    await until(() => methodsIn(log).includes("notifications/cancelled"));
    expect(await servers.call({ server: "s", tool: "next", input: {} }, asking().asked)).toEqual(said("fine"));
    expect(stateOf(servers, "s").status.type).toBe("ready");
  });

  test("who asks may stop asking: at once, while the server starts too", async () => {
    const log = file();
    const { servers } = world.start([
      entryOf("s", stubLaunch({ log, tools, calls: { slow: { hang: true } } })),
      entryOf("silent", stubLaunch({ silent: true })),
    ]);
    const stop = new AbortController();
    const waits = servers.call({ server: "silent", tool: "x", input: {} }, asking(stop.signal).asked);
    const slow = servers.call({ server: "s", tool: "slow", input: {} }, asking(stop.signal).asked);
    await until(() => methodsIn(log).includes("tools/call"));
    stop.abort();
    expect(await waits).toEqual({ type: "interrupted", why: "The call of x was interrupted." });
    expect(await slow).toEqual({ type: "interrupted", why: "The call of slow was interrupted." });
    await until(() => methodsIn(log).includes("notifications/cancelled"));
  });

  test("a server that ends in mid-call fails the calls under way at once, with its last words, and is started again", async () => {
    const clock = manualClock();
    const calls = { slow: { hang: true }, crash: { crash: 3 } };
    const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls, instructions: "Hello" }))], clock);
    await until(() => stateOf(servers, "s").status.type === "ready");
    const both = ["slow", "crash"].map((tool) => servers.call({ server: "s", tool, input: {} }, asking().asked));
    const why = "ended with exit code 3; its last lines on stderr: it is all over";
    for (const answer of await Promise.all(both)) {
      expect(answer).toEqual({ type: "failed", why: `The MCP server "s" ${why}, before it had answered.` });
    }
    const { status, tools: kept, instructions } = stateOf(servers, "s");
    expect(status).toEqual({ type: "failed", why, retryAt: clock.now() + bounds.serverRetryMsFirst });
    expect([kept.length, instructions]).toEqual([1, "Hello"]);
    await clock.advance(bounds.serverRetryMsFirst);
    await until(() => stateOf(servers, "s").status.type === "ready");
    expect(await servers.call({ server: "s", tool: "echo", input: {} }, asking().asked)).toEqual(said("{}"));
  });

  test("a call to a server that is down does not wait for its time", async () => {
    const { servers } = world.start(
      [entryOf("s", stubLaunch({ tools, calls: { crash: { crash: 1 } } }))],
      manualClock(),
    );
    expect((await servers.call({ server: "s", tool: "crash", input: {} }, asking().asked)).type).toBe("failed");
    expect(await servers.call({ server: "s", tool: "echo", input: {} }, asking().asked)).toEqual(said("{}"));
  });

  test("progress is passed on; an error of the protocol is named; what we are asked is refused, and input that is wanted too", async () => {
    const calls = {
      steps: { progress: [1, 2], result: text("done") },
      wrong: { error: { code: -32602, message: "no such tool" } },
      sampling: { ask: "sampling/createMessage" },
      roots: { ask: "roots/list" },
      ping: { ask: "ping" },
    };
    const input = { resultType: "input_required", inputRequests: {}, requestState: "x" };
    const { servers } = world.start([
      entryOf("s", stubLaunch({ tools, calls })),
      entryOf("newer", stubLaunch({ era: "newer", tools, calls: { wants: { result: input } } })),
    ]);
    const { asked, progress } = asking();
    const call = (tool: string, server = "s") => servers.call({ server, tool, input: {} }, asked);
    expect(await call("steps")).toEqual(said("done"));
    expect(progress[0]).toBe("1 on it");
    expect(await call("wrong")).toEqual({
      type: "failed",
      why: 'The MCP server "s" answered with an error (-32602): no such tool.',
    });
    expect(await call("sampling")).toEqual(said("-32601"));
    expect(await call("roots")).toEqual(said("-32601"));
    expect(await call("ping")).toEqual(said("{}"));
    expect(await call("wants", "newer")).toMatchObject({
      type: "failed",
      why: expect.stringContaining("asks for input"),
    });
  });
});

describe("what comes on stdout and stderr", () => {
  test("of a start that fails its error is told, though the trace behind it is longer than what is shown", async () => {
    const trace = ["Error: Cannot find module 'nothing'", ...[1, 2, 3, 4, 5, 6].map((n) => `    at place ${n}`)].join(
      "\n",
    );
    const calls = { crash: { crash: 3 } };
    const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls, stderr: `${trace}\n` }))]);
    await until(() => stateOf(servers, "s").status.type === "ready");
    const answer = await servers.call({ server: "s", tool: "crash", input: {} }, asking().asked);
    expect("why" in answer ? answer.why : "").toMatch(/on stderr: Error: Cannot find module 'nothing' \| at place 4/);
  });

  test("what is no message is skipped and noted once; the session goes on", async () => {
    const banner =
      'Welcome!\n{"half":\n\u0000\u0001\u00ff\n[1,2]\n{"jsonrpc":"2.0"}\nready {"level":"info"}\nno line end: ';
    const calls = { say: { say: "a line in between", result: text("fine") } };
    const { servers, notes } = world.start([
      entryOf("s", stubLaunch({ banner, tools, calls, stderrBytes: 1_000_000 })),
    ]);
    expect(await servers.call({ server: "s", tool: "say", input: {} }, asking().asked)).toEqual(said("fine"));
    expect(notes).toEqual(['The MCP server "s" writes to stdout what is no message, which is skipped: "Welcome!".']);
  });

  test("a result of 10 MB comes whole", async () => {
    const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls: { big: { bytes: 10_000_000 } } }))]);
    const answer = await servers.call({ server: "s", tool: "big", input: {} }, asking().asked);
    expect(answer.type === "answer" && answer.content[0]?.type === "text" && answer.content[0].text.length).toBe(
      10_000_000,
    );
  });

  test("a result beyond the limit (captureBytesMax) fails its call and no other", async () => {
    const calls = { big: { bytes: bounds.captureBytesMax } };
    const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls }))]);
    const answer = await servers.call({ server: "s", tool: "big", input: {} }, asking().asked);
    expect(answer).toMatchObject({ type: "failed", why: expect.stringMatching(/the answer has 671\d+ bytes/) });
    expect(await servers.call({ server: "s", tool: "echo", input: {} }, asking().asked)).toEqual(said("{}"));
  });

  test("a flood of what is no message ends the server (serverNoiseBytesMax); short lines count for more (serverNoiseLineBytes)", async () => {
    const lines = Math.ceil(bounds.serverNoiseBytesMax / (bounds.serverNoiseLineBytes + 2));
    for (const flood of [{ flood: bounds.serverNoiseBytesMax + 100_000 }, { flood: 3 * lines, piece: "{}\n" }]) {
      const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls: { flood } }))], manualClock());
      const answer = await servers.call({ server: "s", tool: "flood", input: {} }, asking().asked);
      expect(answer).toMatchObject({ type: "failed", why: expect.stringContaining("was ended by SIGKILL") });
    }
  });
});

describe("the end", () => {
  const pids = (log: string) => readFileSync(log, "utf8").trim().split("\n").map(Number);
  const runs = (pid: number) =>
    existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

  test("closing ends what stops by itself gently, what does not for good, and what they started", async () => {
    const log = file();
    const shell = (name: string, script: object) => {
      const { args } = stubLaunch(script) as { readonly args: readonly string[] };
      const words = `echo $$ >> ${log}; sleep 300 & echo $! >> ${log}; exec "$0" "$@"`;
      const launch = { type: "stdio" as const, command: "sh", args: ["-c", words, process.execPath, ...args], env: {} };
      return entryOf(name, { ...launch, cwd: world.folder });
    };
    const heard = file();
    const { servers } = world.start([
      shell("gentle", { tools, log: heard }),
      shell("deaf", { tools, deaf: true }),
      shell("starting", { silent: true }),
    ]);
    await until(() => servers.now().filter(({ status }) => status.type === "ready").length === 2);
    await until(() => pids(log).length === 6);
    await servers.close();
    expect(pids(log).filter(runs)).toEqual([]);
    expect(methodsIn(heard).at(-1)).toBe("end");
    expect(servers.now().map(({ status }) => status.type)).toEqual(["off", "off", "off"]);
    expect(await servers.call({ server: "gentle", tool: "echo", input: {} }, asking().asked)).toMatchObject({
      type: "failed",
    });
  });

  test("changes are told once for what happens in quick succession, and not to who no longer listens", async () => {
    const clock = manualClock();
    const { servers } = world.start([entryOf("a", stubLaunch({ tools })), entryOf("b", stubLaunch({ tools }))], clock);
    let told = 0;
    const stop = servers.onChange(() => {
      told += 1;
    });
    await until(() => servers.now().every(({ status }) => status.type === "ready"));
    expect(told).toBe(0);
    await clock.advance(bounds.serverToldMs);
    expect(told).toBe(1);
    stop();
    await servers.call({ server: "a", tool: "echo", input: {} }, asking().asked);
    await clock.advance(bounds.serverToldMs);
    expect(told).toBe(1);
  });
});
