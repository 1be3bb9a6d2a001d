import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandError, UsageError } from "../../src/cli/exit.ts";
import { type AddFlags, addedEntry } from "../../src/cli/mcp-added.ts";
import { runMcpAdd, runMcpRemove } from "../../src/cli/mcp-edit.ts";
import { runMcpTest } from "../../src/cli/mcp-test.ts";
import { newPlace, varve } from "../support/varve-process.ts";

const stub = fileURLToPath(new URL("../support/stub-server.mjs", import.meta.url));
const key = "k-8d7f6a5b4c3e";
const place = newPlace();
afterAll(() => place.remove());
mkdirSync(place.home, { recursive: true });

function entryFor(operands: readonly string[], flags: AddFlags = {}) {
  return addedEntry({ name: "one", operands, flags, file: "/w/.mcp.json" });
}

describe("what the command line names", () => {
  test("is a program with its arguments and variables, or an address with its headers", () => {
    expect(entryFor(["npx", "-y", "x"], { env: ["A=1=2", "B="] }).entry).toEqual({
      ...{ type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1=2", B: "" } },
    });
    const headers = { Authorization: "Bearer a=b", "X-Y": "z" };
    expect(entryFor(["https://a.example/mcp"], { header: ["Authorization: Bearer a=b", "X-Y=z"] }).entry).toEqual({
      ...{ type: "http", url: "https://a.example/mcp", headers },
    });
    expect(entryFor(["http://a.example"], { transport: "stdio" }).entry).toMatchObject({ command: "http://a.example" });
  });

  test.each([
    ["nothing to start", [], {}, "what to start is missing"],
    ["no address", [], { transport: "http" }, "an address is missing"],
    ["an address that is none", ["nowhere"], { transport: "http" }, "url: expected an http or https address"],
    ["an address of another kind", ["ftp://a.example"], {}, "only http and https addresses are supported"],
    ["more behind an address", ["http://a", "b"], { transport: "http" }, "an address stands alone"],
    ["a transport that does not exist", ["http://a"], { transport: "sse" }, "type: sse"],
    ["a variable for an address", ["http://a"], { env: ["A=1"] }, "--env is for"],
    ["a header for a program", ["x"], { header: ["A: 1"] }, "--header is for"],
    ["a variable without a value", ["x"], { env: [key] }, "--env: expected NAME=VALUE"],
  ] as const)("with %s is wrong usage, and shows no value", (_what, operands, flags, why) => {
    const act = () => entryFor(operands, flags);
    expect(act).toThrow(UsageError);
    expect(act).toThrow(why);
    expect(act).not.toThrow(key);
  });

  test("tells of a variable that is not set, and of a key that would be shared", () => {
    expect(entryFor(["x", `\${VARVE_NOT_SET}`]).warnings).toEqual([
      expect.stringContaining(`\${VARVE_NOT_SET} is not set`),
    ]);
    expect(entryFor(["x"], { scope: "project", env: [`API_KEY=${key}`] }).warnings).toEqual([
      expect.stringMatching(/shared with the project, and API_KEY/),
    ]);
    expect(entryFor(["x"], { scope: "project", env: [`API_KEY=\${PATH}`] }).warnings).toEqual([]);
  });
});

describe("for the user", () => {
  const file = join(place.home, "mcp.json");
  let out = "";
  beforeEach(() => {
    out = "";
    vi.stubEnv("VARVE_HOME", place.home);
    vi.stubEnv("HOME", place.home);
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      out += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const program = (script: object) => [process.execPath, stub, JSON.stringify(script)];
  const user = { scope: "user" };

  test("a server is added, tried and removed", async () => {
    const before = '{\n    "mcpServers": { "other": {"url": "http://127.0.0.1:9"} }\n}\n';
    writeFileSync(file, before);
    const inputSchema = { type: "object", properties: {} };
    const tools = [{ name: "greet", description: `Says hello.\nTo ${key}`, inputSchema }];
    const script = { tools, prompts: [{ name: "morning" }], instructions: "Be kind." };
    expect(await runMcpAdd("stub", program(script), { ...user, env: [`API_KEY=${key}`] })).toBe(0);
    await expect(runMcpAdd("stub", ["x"], user)).rejects.toThrow(/has a server "stub" already/);

    expect(await runMcpTest("stub", { json: true })).toBe(0);
    expect(out).not.toContain(key);
    expect(JSON.parse(out)).toMatchObject({
      ...{ name: "stub", state: "ready", why: null, prompts: ["morning"], instructions: "Be kind." },
      tools: [{ name: "greet", calledAs: "mcp__stub__greet", tokens: expect.any(Number) }],
    });

    expect(await runMcpRemove("stub", {})).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(before);
    await expect(runMcpRemove("stub", {})).rejects.toThrow(CommandError);
    await expect(runMcpTest("stub", {})).rejects.toThrow(/no MCP server "stub".*other/);
  });

  test("a server that does not work is a failure with its reason", async () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { broken: { command: "/no/such/program" } } }));
    expect(await runMcpTest("broken", {})).toBe(1);
    expect(out).toMatch(/^broken: failed: /);
  });

  test("an entry that cannot be read is not tried, and the fault is said", async () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { bad: { type: "sse", url: "http://a" } } }));
    await expect(runMcpTest("bad", {})).rejects.toThrow(/bad is not started: its entry cannot be read: type: sse/);
  });
});

test("`varve trust` approves a project's servers, `disable` keeps one off, and `list` shows all without their secrets", async () => {
  writeFileSync(
    join(place.home, "mcp.json"),
    JSON.stringify({ mcpServers: { mine: { command: "x", args: ["--api-key", key], env: { ANY: key } } } }),
  );
  const shared = {
    good: { command: `\${NODE}`, args: ["--token", key], env: { NODE_OPTIONS: "-r ./x.js", TOKEN: key } },
    bad: { args: [] },
    off: { command: "y" },
  };
  const text = JSON.stringify({ mcpServers: shared });
  place.write(".mcp.json", text);
  const env = { NODE: "node-here" };

  const disabled = await varve(["mcp", "disable", "off"], place, { env });
  expect(disabled.stderr).toContain("off is disabled in this project");
  const trusted = await varve(["trust", "--yes"], place, { env });
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.stderr).toMatch(
    /\.mcp\.json#good\n.*starts \$\{NODE\} --token .*secret.*\n.*NODE_OPTIONS=-r \.\/x\.js\n/,
  );
  expect(trusted.stderr).not.toMatch(/starts y|#off|#bad/);
  expect(trusted.stderr).toMatch(/#good: approved/);

  const listed = await varve(["mcp", "list", "--json"], place, { env });
  expect(listed.code).toBe(0);
  expect(listed.stdout + listed.stderr + trusted.stderr).not.toContain(key);
  expect(listed.stderr).toMatch(/mcpServers\.bad\.command: expected a program/);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    servers: [
      { name: "bad", state: "off", does: null },
      {
        name: "good",
        scope: "project",
        state: "on",
        does: expect.stringMatching(/^starts \$\{NODE\} --token .*, with NODE_OPTIONS, TOKEN$/),
      },
      { name: "mine", scope: "user", state: "on" },
      { name: "off", state: "off", why: expect.stringContaining("varve mcp enable") },
    ],
    faults: [expect.any(String)],
    warnings: [],
  });
  expect(place.read(".mcp.json").toString()).toBe(text);
});
