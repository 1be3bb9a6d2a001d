import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { serverEnv } from "../../src/adapters/mcp-env.ts";
import { createServers } from "../../src/adapters/mcp-servers.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { createMask } from "../../src/secrets/mask.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { asking, entryOf, methodsIn, serversForTests, stateOf, stubLaunch, until } from "../support/stub-servers.ts";

const world = serversForTests();
afterAll(world.end);
const tools = [{ name: "echo", inputSchema: { type: "object" } }];

test("a server sees what it needs of our environment, no key of ours, and what its entry gives it", async () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/me",
    LC_ALL: "C.UTF-8",
    TMPDIR: "/tmp",
    HTTPS_PROXY: "http://proxy:3128",
    http_proxy: "http://me:password1@proxy:3128",
    ANTHROPIC_API_KEY: "sk-ant-1",
    DATABASE_URL: "postgres://x",
    NODE_OPTIONS: "--require evil",
    XDG_DATA_HOME: "/the/hidden/value",
  };
  expect(serverEnv(env, { TOKEN: "mine", PATH: "/own" }, ["hidden"])).toEqual({
    PATH: "/own",
    HOME: "/home/me",
    LC_ALL: "C.UTF-8",
    TMPDIR: "/tmp",
    HTTPS_PROXY: "http://proxy:3128",
    TOKEN: "mine",
  });
  const shown = world.file();
  const launch = { type: "stdio" as const, command: "sh", args: ["-c", `env > ${shown}`], env: { TOKEN: "mine" } };
  const { servers } = world.start([entryOf("s", { ...launch, cwd: world.folder })], manualClock());
  await until(() => stateOf(servers, "s").status.type === "failed");
  const names = readFileSync(shown, "utf8")
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(names.filter((name) => name !== undefined && !/^(?:PATH|HOME|TOKEN|PWD|OLDPWD|SHLVL|_|)$/.test(name))).toEqual(
    [],
  );
});

test("what a server says is masked where people read it, and the same is noted once", async () => {
  const notes: string[] = [];
  const nameless = Array.from({ length: 30 }, (_, at) => [{ name: `t${at}` }, {}]).flat();
  const mask = createMask({ values: [{ name: "TOKEN", value: "very-secret-value" }], shapes: "shown" });
  const calls = { crash: { crash: 1 } };
  const banner = "token very-secret-value\n";
  const entries = [
    entryOf("s", stubLaunch({ tools: nameless, banner, calls })),
    entryOf("dies", stubLaunch({ stderr: "no: very-secret-value\n", era: "ends", errors: { initialize: 1 } })),
  ];
  const env = { PATH: process.env.PATH };
  const servers = createServers({ entries, clock: manualClock(), env, mask, onNote: (text) => notes.push(text) });
  try {
    await servers.settled(60_000);
    await until(() => servers.now().every(({ status }) => status.type !== "starting"));
    expect(notes).toEqual([
      'The MCP server "s" writes to stdout what is no message, which is skipped: "token [secret: TOKEN]".',
      'The MCP server "s" lists a tool without a name, which is left out.',
    ]);
    const answer = await servers.call({ server: "s", tool: "crash", input: {} }, asking().asked);
    expect(JSON.stringify([answer, servers.now()])).not.toContain("very-secret-value");
  } finally {
    await servers.close();
  }
});

test("of what is no message the first serverProgressCharsMax characters are noted", async () => {
  const most = "m".repeat(bounds.serverProgressCharsMax);
  const { servers, notes } = world.start([entryOf("s", stubLaunch({ tools, banner: `${most}n\n` }))]);
  await servers.settled(60_000);
  expect(notes).toEqual([`The MCP server "s" writes to stdout what is no message, which is skipped: "${most}".`]);
});

test("of one server no more than serverNotesMax notes are told", async () => {
  const log = world.file();
  // Each process says something else, and ends at the first question.
  const launch = { type: "stdio" as const, command: "sh", args: ["-c", `echo $$ >> ${log}; echo "I am $$"`], env: {} };
  const { servers, notes } = world.start([entryOf("s", { ...launch, cwd: world.folder })], manualClock());
  const launches = () => readFileSync(log, "utf8").trim().split("\n");
  do await servers.call({ server: "s", tool: "echo", input: {} }, asking().asked);
  while (launches().length <= bounds.serverNotesMax);
  expect(notes.map((note) => note.match(/I am (\d+)/)?.[1])).toEqual(launches().slice(0, bounds.serverNotesMax));
});

test("a server that ran steadily before it ended is tried again as if it were the first time (serverSteadyMs)", async () => {
  const clock = manualClock();
  const { servers } = world.start([entryOf("s", stubLaunch({ tools, calls: { crash: { crash: 1 } } }))], clock);
  const retryMs: number[] = [];
  for (const steadyMs of [0, 0, bounds.serverSteadyMs, 0]) {
    await until(() => stateOf(servers, "s").status.type === "ready");
    await clock.advance(steadyMs);
    await servers.call({ server: "s", tool: "crash", input: {} }, asking().asked);
    const { status } = stateOf(servers, "s");
    const waitMs = status.type === "failed" ? (status.retryAt ?? 0) - clock.now() : -1;
    retryMs.push(waitMs);
    await clock.advance(waitMs);
  }
  expect(retryMs).toEqual([1_000, 2_000, 1_000, 2_000]);
});

test("a server that is silent when asked for the newer protocol is waited for serverProbeMs, and serverProbeAgainMs once it failed", async () => {
  const log = world.file();
  // The wait is the SDK's, whose timers are the system's.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    const script = { log, era: "mute", errors: { initialize: -1 } };
    const { servers } = world.start([entryOf("s", stubLaunch(script))], manualClock());
    const asked = async (count: number): Promise<void> => {
      const discovers = () => methodsIn(log).filter((method) => method === "server/discover").length;
      while (discovers() < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const silence = async (): Promise<number> => {
      const begun = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      return Date.now() - begun;
    };
    await asked(1);
    expect(await silence()).toBe(bounds.serverProbeMs);
    await servers.settled(60_000);
    expect(stateOf(servers, "s").status.type).toBe("failed");
    const call = servers.call({ server: "s", tool: "echo", input: {} }, asking().asked);
    await asked(2);
    expect(await silence()).toBe(bounds.serverProbeAgainMs);
    expect(await call).toMatchObject({ why: 'The MCP server "s" is down: it answered with an error (-1): no.' });
  } finally {
    vi.useRealTimers();
  }
});

test("of stderr serverStderrBytesMax are kept, of more its end; the last serverStderrLinesMax lines are told", async () => {
  const dying = (name: string, words: string) => {
    const args = [
      "-e",
      `process.stderr.write(${JSON.stringify(words)}.replace("~", "x".repeat(${bounds.serverStderrBytesMax - 12})))`,
    ];
    return entryOf(name, { type: "stdio", command: process.execPath, args, env: {}, cwd: world.folder });
  };
  const lines = Array.from({ length: bounds.serverStderrLinesMax + 2 }, (_, at) => `line ${at}`);
  const { servers } = world.start(
    [dying("whole", "first\n~\nlast\n"), dying("more", "first!\n~\nlast\n"), dying("lines", lines.join("\n\n"))],
    manualClock(),
  );
  await servers.settled(60_000);
  const said = (name: string) => {
    const { status } = stateOf(servers, name);
    return status.type === "failed" ? status.why.replaceAll(/xx+/g, "~") : status.type;
  };
  const end = "ended with exit code 0; its last lines on stderr:";
  expect(said("whole")).toBe(`${end} first | ~ | last`);
  expect(said("more")).toBe(`${end} ~ | last`);
  expect(said("lines")).toBe(`${end} ${lines.slice(2).join(" | ")}`);
});

test("a server that does not hear the end of stdin ends when we are killed", async () => {
  const log = world.file();
  const program = `
    import { createServers } from ${JSON.stringify(fileURLToPath(new URL("../../src/adapters/mcp-servers.ts", import.meta.url)))};
    import { systemClock } from ${JSON.stringify(fileURLToPath(new URL("../../src/adapters/clock.ts", import.meta.url)))};
    const entry = ${JSON.stringify(entryOf("s", { type: "stdio", command: "sh", args: ["-c", `read -r asked; echo $$ > ${log}; exec sleep 300`], env: {}, cwd: world.folder }))};
    createServers({ entries: [entry], clock: systemClock, env: process.env, onNote: () => {} });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "ignore" });
  await until(() => existsSync(log) && readFileSync(log, "utf8").endsWith("\n"));
  child.kill("SIGKILL");
  const pid = Number(readFileSync(log, "utf8"));
  await until(() => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
});

test("without servers nothing is started and nothing is waited for", async () => {
  const { servers } = world.start([], manualClock());
  await servers.settled(60_000);
  expect(servers.now()).toEqual([]);
  await servers.close();
});
