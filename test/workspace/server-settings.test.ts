import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { ServersSource } from "../../src/workspace/server-entry.ts";
import { parseServers } from "../../src/workspace/server-file.ts";
import { serverSecrets } from "../../src/workspace/server-secrets.ts";
import {
  mergeServers,
  type ReadServers,
  type ServerScope,
  type ServerStanding,
  standingEntry,
} from "../../src/workspace/server-settings.ts";

const env = { HOST: "tools.example", EMPTY: "", TOKEN: "ghp-9f8e7d6c5b4a", LOOP: "${HOST}" };

function read(value: unknown, more: Partial<ServersSource> = {}): ReadServers {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return parseServers(text, { file: "/w/.mcp.json", scope: "project", written: "foreign", cwd: "/w", env, ...more });
}

function entryOf(entry: unknown, more: Partial<ServersSource> = {}) {
  const result = read({ mcpServers: { one: entry } }, more);
  return { ...result, entry: result.servers[0]?.entry, launch: result.servers[0]?.entry.launch };
}

describe("an entry", () => {
  test("of a program has its arguments, variables and folder", () => {
    const { launch, faults, warnings } = entryOf({ command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: "sub" });
    expect(launch).toEqual({ type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: "/w/sub" });
    expect([faults, warnings]).toEqual([[], []]);
  });

  test("of an address is reached over http, however its type is written or left out", () => {
    const launch = { type: "http", url: "https://a.example/mcp", headers: {} };
    for (const type of [undefined, null, "http", "streamable-http", "streamableHttp", "HTTP"])
      expect(entryOf({ type, url: "https://a.example/mcp" }).launch).toEqual(launch);
  });

  test("has its limits, under the names of other programs too", () => {
    const limits = { timeout: 5_000, resultTokens: 900, alwaysLoad: true };
    const lists = { includeTools: ["a*"], deniedTools: ["b"], excludeTools: ["c"], disabledTools: ["d"] };
    expect(entryOf({ command: "x", ...limits, ...lists }).entry?.limits).toEqual({
      ...{ callMs: 5_000, resultTokens: 900, alwaysLoad: true, allowed: ["a*"], denied: ["b", "c", "d"] },
    });
    expect(entryOf({ command: "x" }).entry?.limits).toEqual({
      ...{ callMs: bounds.serverCallMsDefault, resultTokens: null, alwaysLoad: false, allowed: null, denied: [] },
    });
    expect(entryOf({ command: "x", allowedTools: [] }).entry?.limits.allowed).toEqual([]);
  });

  test("that asks for more than may be gets the most, and it is said", () => {
    const { entry, warnings } = entryOf({ command: "x", timeout: 1e12, resultTokens: 1e9 });
    expect(entry?.limits).toMatchObject({
      callMs: bounds.serverCallMsMax,
      resultTokens: bounds.serverResultTokensMax,
    });
    expect(warnings).toHaveLength(2);
  });

  test.each([
    ["neither program nor address", {}, "command: expected a program to start, or url"],
    ["both of them", { command: "x", url: "http://a" }, "type: expected stdio or http"],
    ["an older transport", { type: "sse", url: "http://a/sse" }, "type: sse"],
    ["a transport that does not exist yet", { type: "ws", url: "ws://a" }, "type: ws is not supported yet"],
    ["an unknown transport", { type: "pigeon", url: "http://a" }, "type: expected stdio or http"],
    ["a type that is no text", { type: 3, command: "x" }, "type: expected a text, got the number 3"],
    ["an empty program", { command: " " }, "command: expected a program"],
    ["arguments in one text", { command: "x", args: "-y z" }, "args: expected a list of texts"],
    ["an argument that is no text", { command: "x", args: ["-p", 80] }, "args: expected a list of texts"],
    ["a variable that is no text", { command: "x", env: { PORT: 80 } }, "env: expected an object of texts"],
    ["a variable with a strange name", { command: "x", env: { "A=B": "1" } }, "env.A=B: "],
    ["no address at all", { type: "http" }, "url: expected an http or https address"],
    ["an address of another kind", { url: "file:///etc/passwd" }, "url: expected an http or https address"],
    ["a password in the address", { url: "https://u:p@a.example" }, "url: names and passwords"],
    ["a header in two lines", { url: "http://a", headers: { A: "1\r\nB: 2" } }, "headers.A: "],
    ["a program for headers", { url: "http://a", headersHelper: "./sign" }, "headersHelper: programs for headers"],
    ["no time at all", { command: "x", timeout: 0 }, "timeout: expected a whole number from 1 on"],
    ["a switch that is none", { command: "x", disabled: "yes" }, "disabled: expected true or false, got a text"],
    ["denied tools in one text", { command: "x", deniedTools: "rm" }, "deniedTools: expected a list of texts"],
  ])("with %s is not started: file, entry, field and what was expected are said", (_what, entry, fault) => {
    const { faults, servers } = read({ mcpServers: { bad: entry, good: { command: "x" } } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`/w/.mcp.json: mcpServers.bad.${fault}`);
    const [bad, good] = servers.map((one) => one.entry);
    expect(bad).toMatchObject({ launch: null, off: expect.stringContaining(fault) });
    expect(good).toMatchObject({ name: "good", off: null });
  });

  test("may be anything at all: it can be started, or a fault names it, and its neighbour stands", () => {
    const field = fc.constantFrom("type", "command", "args", "env", "url", "headers", "timeout", "cwd", "deniedTools");
    const value = fc.oneof(
      fc.constantFrom("http", "stdio", "x", "http://a", "${HOST}", ["a"]),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const entry = fc.oneof(fc.dictionary(field, value, { maxKeys: 5 }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(entry, (one) => {
        const { servers, faults } = read({ mcpServers: { one, other: { command: "x" } } });
        const found = servers.find((server) => server.entry.name === "one")?.entry;
        expect(found?.launch == null).toBe(faults.length > 0);
        expect(found?.launch == null || found.off === null).toBe(true);
        expect(faults.every((fault) => fault.startsWith("/w/.mcp.json: mcpServers.one"))).toBe(true);
        expect(servers.at(-1)?.entry).toMatchObject({ name: "other", off: null });
      }),
    );
  });

  test("that is wrong shows none of its values", () => {
    const secret = "sk-4242424242";
    const { faults } = read({ mcpServers: { a: { command: 1, env: { K: [secret] }, args: [[secret]], url: secret } } });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join("\n")).not.toContain(secret);
  });

  test("of ours with a field that is not known is told of; in the files of others it is no mistake", () => {
    const entry = { command: "x", denidTools: ["rm"] };
    expect(entryOf(entry, { written: "ours" }).warnings).toEqual([
      "/w/.mcp.json: mcpServers.one.denidTools: not known here, has no effect",
    ]);
    expect(entryOf(entry).warnings).toEqual([]);
  });

  test("that is Varve itself is never started, for a session is that already", () => {
    const { servers } = read({ mcpServers: { varve: { command: "/usr/bin/varve", args: ["mcp"] } } });
    const standing = servers.map((server) => standingEntry({ server, trust: "trusted", chosen: "on" }));
    expect(standing[0]?.off).toContain("Varve itself");
  });

  test("says for people what it does: as written, with the names of what is handed over", () => {
    const [one, two] = read({
      mcpServers: {
        a: { command: "npx", args: ["-y", "my server", "${TOKEN}"], env: { KEY: "hidden" } },
        b: { url: "https://${HOST}/mcp", headers: { Authorization: "Bearer hidden" } },
      },
    }).servers;
    expect(one?.does).toBe("starts npx -y 'my server' ${TOKEN}, with KEY");
    expect(two?.does).toBe("connects to https://${HOST}/mcp, with Authorization");
  });
});

test("whoever approves an entry sees all that may do something, and no key that stands there itself", () => {
  const [one, two] = read({
    mcpServers: {
      a: { command: "node", args: ["s.js"], cwd: "/x", env: { NODE_OPTIONS: "--require ./evil.js", API_KEY: "k-123" } },
      b: { url: "https://evil.example", headers: { Authorization: "Bearer k-123", X: "${TOKEN}" } },
    },
  }).servers;
  expect(one?.frees).toEqual([
    ...["starts node s.js", "in the folder /x", "with NODE_OPTIONS=--require ./evil.js"],
    "with API_KEY=(a value that is not shown)",
  ]);
  expect(two?.frees).toEqual([
    ...["connects to https://evil.example", "sends Authorization: (a value that is not shown)", "sends X: ${TOKEN}"],
  ]);
});

describe("variables", () => {
  test("expand in command, args, env, url and headers", () => {
    expect(
      entryOf({ command: "/o/${HOST}", args: ["--k=${TOKEN}"], env: { T: "${TOKEN}" }, cwd: "${HOST}" }).launch,
    ).toMatchObject({
      ...{ command: "/o/tools.example", args: ["--k=ghp-9f8e7d6c5b4a"], env: { T: "ghp-9f8e7d6c5b4a" } },
      cwd: "/w/tools.example",
    });
    expect(entryOf({ url: "https://${HOST}/m", headers: { A: "Bearer ${TOKEN}" } }).launch).toEqual({
      ...{ type: "http", url: "https://tools.example/m", headers: { A: "Bearer ghp-9f8e7d6c5b4a" } },
    });
  });

  test.each([
    ["${NONE:-http://x:1/y}", "http://x:1/y"],
    ["${NONE:-}", ""],
    ["${HOST:-other}", "tools.example"],
    ["${env:HOST}", "tools.example"],
    ["a${HOST}b${HOST}c", "atools.examplebtools.examplec"],
    ["${LOOP}", "${HOST}"],
    ["$HOST ${ HOST } $${1}", "$HOST ${ HOST } $${1}"],
    ["${EMPTY}x", "x"],
  ])("%s is %s", (text, value) => {
    const { launch, warnings } = entryOf({ command: "x", args: [text] });
    expect(launch).toMatchObject({ args: [value] });
    expect(warnings).toEqual([]);
  });

  test.each(["${NONE}", "${constructor}", "${input:key}"])(
    "%s is not set: it stays, and a warning says where",
    (text) => {
      const { launch, warnings, faults } = entryOf({ command: "x", args: ["-k", text] });
      expect(launch).toMatchObject({ args: ["-k", text] });
      expect(warnings).toEqual([`/w/.mcp.json: mcpServers.one.args[1]: ${text} is not set and stays as it is written`]);
      expect(faults).toEqual([]);
    },
  );

  test("no part of an approval: its content is the entry as it is written", () => {
    const value = { mcpServers: { a: { command: "${HOST}", args: [] } } };
    expect(read(value).servers[0]?.written).toBe(read(value, { env: {} }).servers[0]?.written);
    expect(read({ mcpServers: { a: { args: [], command: "${HOST}" } } }).servers[0]?.written).toBe(
      read(value).servers[0]?.written,
    );
  });
});

describe("a file", () => {
  test("may call them servers, as VS Code does", () => {
    expect(read({ inputs: [], servers: { a: { type: "stdio", command: "x" } } }).servers).toHaveLength(1);
  });

  test.each([
    ["{", "not valid JSON"],
    ["[]", "expected an object, got a list"],
    ['{"mcpServers": []}', "mcpServers: expected an object of servers, got a list"],
    ['{"mcpserver": {"a": {}}}', "mcpServers: expected there"],
    ['{"mcpServers": {}, "mcpServers": {"a": {"command": "x"}}}', "mcpServers: stands there twice"],
  ])("that holds %s is a fault that names it", (text, why) => {
    const { servers, faults } = read(text);
    expect(servers).toEqual([]);
    expect(faults).toEqual([expect.stringContaining(`/w/.mcp.json: ${why}`)]);
  });

  test("with a byte order mark, without servers or empty is fine", () => {
    expect(read('\ufeff{"mcpServers": {"a": {"command": "x"}}}').servers).toHaveLength(1);
    for (const text of ["{}", '{"mcpServers": {}}']) expect(read(text).faults).toEqual([]);
  });

  test("keeps names as they are, but for those that name nothing, are too long or not on one line", () => {
    const long = "n".repeat(bounds.serverNameCharsMax);
    const names = ["GitHub v2", "数据", "a.b/c", "__proto__", "constructor", long];
    const some = [...names, "", "__", "  ", `${long}n`, "a\nb", "a\u001bb", "a\u2028b"].map(
      (name) => `${JSON.stringify(name)}: {"command": "x"}`,
    );
    const { servers, faults } = read(`{"mcpServers": {${some.join(", ")}}}`);
    expect(servers.map(({ entry }) => entry.name)).toEqual(names);
    expect(faults).toHaveLength(7);
  });

  test("with a name that stands there twice starts neither, and the others", () => {
    const { servers, faults } = read(
      '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}, "a": {"command": "y"}}}',
    );
    expect(servers.map(({ entry }) => entry.name)).toEqual(["b"]);
    expect(faults).toEqual(["/w/.mcp.json: mcpServers.a: stands there twice"]);
    const twice = read('{"mcpServers": {"a": {"command": "x", "deniedTools": ["rm"], "deniedTools": []}}}');
    expect(twice.faults).toEqual(["/w/.mcp.json: mcpServers.a: deniedTools: stands there twice"]);
  });

  test("has at most so many servers: the rest is said to be left out", () => {
    const all = Array.from({ length: bounds.serversMax + 5 }, (_, at) => [`s${at}`, { command: "x" }]);
    const { servers, faults } = read({ mcpServers: Object.fromEntries(all) });
    expect(servers).toHaveLength(bounds.serversMax);
    expect(faults).toEqual([expect.stringContaining(`at most ${bounds.serversMax} servers`)]);
  });
});

describe("of several files", () => {
  function standing(name: string, scope: ServerScope, more: Partial<ServerStanding> = {}): ServerStanding {
    const server = read({ mcpServers: { [name]: { command: scope } } }, { scope }).servers[0];
    if (server === undefined) throw new Error("it can be read");
    return { server, trust: "trusted", chosen: null, ...more };
  }
  const holding = (all: readonly ServerStanding[]) =>
    mergeServers(all).map((one) => {
      const { name, scope, off } = standingEntry(one);
      return [name, scope, off];
    });

  test("whole entries replace each other: local, project, user; all in the order of their names", () => {
    const all = [
      ...[standing("b", "user"), standing("a", "user"), standing("a", "project"), standing("B", "project")],
      standing("b", "local"),
    ];
    expect(holding(all)).toEqual([
      ["B", "project", null],
      ["a", "project", null],
      ["b", "local", null],
    ]);
  });

  test("one of the project that was not approved does not take the place of the user's own", () => {
    const strange = standing("a", "project", { trust: "not approved" });
    expect(holding([strange, standing("a", "user")])).toEqual([["a", "user", null]]);
    expect(holding([strange])).toEqual([["a", "project", expect.stringContaining("not approved")]]);
  });

  test("what the user switched off or on holds before what the file says; it is no approval", () => {
    expect(holding([standing("a", "user", { chosen: "off" })])[0]?.[2]).toContain("varve mcp enable");
    expect(holding([standing("a", "project", { chosen: "on", trust: "not approved" })])[0]?.[2]).toContain(
      "not approved",
    );
    const server = read({ mcpServers: { a: { command: "x", disabled: true } } }).servers[0];
    if (server === undefined) throw new Error("it can be read");
    expect(standingEntry({ server, trust: "trusted", chosen: null }).off).toBe("disabled in /w/.mcp.json");
    expect(standingEntry({ server, trust: "trusted", chosen: "on" }).off).toBeNull();
  });
});

test("what is handed to servers is secret: variables, headers, and keys among arguments; common words are not", () => {
  const { servers } = read({
    mcpServers: {
      a: {
        command: "x",
        args: ["--api-key", "k-1234567890", "--token=t-1234567890"],
        env: { PLAIN: "v-1234567890", P: "3000" },
      },
      b: { url: "https://a.example/?api_key=q-1234567890", headers: { Authorization: "Bearer h-1234567890" } },
      c: { command: "x", env: { PLAIN: "w-1234567890", HOME: "/home/someone" } },
    },
  });
  const values = serverSecrets(servers.map(({ entry }) => entry)).map(({ value }) => value);
  expect(values.toSorted()).toEqual(["h", "k", "q", "t", "v", "w"].map((letter) => `${letter}-1234567890`));
});

test("a variable that is not set is no secret: the warning has to name it; what a value holds beside one is", () => {
  const headers = { Authorization: "Bearer ${NO_SUCH_TOKEN}", "X-Key": "k-1234567890-${NO_SUCH_TOKEN}" };
  const { servers } = read({ mcpServers: { a: { url: "https://a.example", headers } } });
  const values = serverSecrets(servers.map(({ entry }) => entry)).map(({ value }) => value);
  expect(values).toEqual(["k-1234567890-${NO_SUCH_TOKEN}"]);
});
