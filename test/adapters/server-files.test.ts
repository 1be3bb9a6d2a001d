import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { guardSession } from "../../src/adapters/guarded.ts";
import { addServer, chooseServer, removeServer } from "../../src/adapters/server-edit.ts";
import { approvableOf, findServers, serversFor } from "../../src/adapters/server-files.ts";
import type { ServersPlace } from "../../src/adapters/server-places.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand, type ProjectId } from "../../src/kernel/ids.ts";
import { usualGuards } from "../../src/workspace/guards.ts";
import { serverSecrets } from "../../src/workspace/server-secrets.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "varve-servers-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
let root = "";
let place: ServersPlace;
/** What the user approved: path and text. */
let approved: Set<string>;

beforeEach(() => {
  count += 1;
  root = join(base, String(count));
  approved = new Set();
  place = {
    cwd: join(root, "repo", "app"),
    home: join(root, "user", ".varve"),
    project: brand("p1"),
    user: join(root, "user"),
    env: { HOST: "tools.example" },
    isApproved: async ({ path, text }) => approved.has(`${path}\0${text}`),
  };
  mkdirSync(join(root, "repo", ".git"), { recursive: true });
  mkdirSync(place.cwd, { recursive: true });
});

function put(path: string, value: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" || Buffer.isBuffer(value) ? value : JSON.stringify(value, null, 2));
  return file;
}

const servers = (...names: readonly string[]) => ({
  mcpServers: Object.fromEntries(names.map((name) => [name, { command: `run-${name}` }])),
});

async function approveAll(): Promise<void> {
  for (const { server } of (await findServers(place)).all) {
    const { path, text } = approvableOf(server);
    approved.add(`${path}\0${text}`);
  }
}

async function sources(): Promise<Readonly<Record<string, string>>> {
  const { entries } = await serversFor(place);
  return Object.fromEntries(
    entries.map(({ name, source, scope }) => [name, `${scope} ${source.slice(root.length + 1)}`]),
  );
}

describe("servers", () => {
  test("are found in every usual place, with the scope of each", async () => {
    put("user/.varve/projects/p1/mcp.json", servers("local"));
    put("user/.varve/mcp.json", servers("user"));
    put("user/.claude.json", {
      ...{ numStartups: 4, ...servers("claude-user") },
      projects: { [place.cwd]: servers("claude-local"), "/elsewhere": servers("no") },
    });
    put("repo/app/.varve/mcp.json", servers("ours"));
    put("repo/app/.mcp.json", servers("shared"));
    put("repo/app/.cursor/mcp.json", servers("cursor"));
    put("repo/.mcp.json", servers("root"));
    expect(await sources()).toEqual({
      local: "local user/.varve/projects/p1/mcp.json",
      user: "user user/.varve/mcp.json",
      "claude-user": "user user/.claude.json",
      "claude-local": "local user/.claude.json",
      ours: "project repo/app/.varve/mcp.json",
      shared: "project repo/app/.mcp.json",
      cursor: "project repo/app/.cursor/mcp.json",
      root: "project repo/.mcp.json",
    });
  });

  test("of one name: local before project before user, and of one scope the nearest file", async () => {
    put("user/.varve/mcp.json", servers("a", "b", "c"));
    put("user/.claude.json", servers("c"));
    put("repo/.mcp.json", servers("b", "d"));
    put("repo/app/.cursor/mcp.json", servers("d"));
    put("user/.varve/projects/p1/mcp.json", servers("a"));
    await approveAll();
    expect(await sources()).toEqual({
      a: "local user/.varve/projects/p1/mcp.json",
      b: "project repo/.mcp.json",
      c: "user user/.varve/mcp.json",
      d: "project repo/app/.cursor/mcp.json",
    });
  });

  test("of a folder without any file are none, and nothing is said", async () => {
    expect(await serversFor(place)).toEqual({ entries: [], faults: [], warnings: [] });
    const without = { ...place, home: null, user: null, project: null };
    expect(await serversFor(without)).toEqual({ entries: [], faults: [], warnings: [] });
  });

  test("run in the folder of their file where that is the project's, else in the working folder", async () => {
    put("repo/.mcp.json", { mcpServers: { a: { command: "x", args: [`\${CLAUDE_PROJECT_DIR}/s.js`, `\${HOST}`] } } });
    put("user/.varve/mcp.json", servers("b"));
    const [a, b] = (await serversFor(place)).entries;
    const repo = join(root, "repo");
    expect(a?.launch).toMatchObject({ cwd: repo, args: [`${repo}/s.js`, "tools.example"] });
    expect(b?.launch).toMatchObject({ cwd: place.cwd });
  });
});

describe("what came with the project", () => {
  test("is not started before its approval, which is said once per file", async () => {
    const file = put("repo/.mcp.json", servers("a", "b"));
    put("user/.varve/mcp.json", servers("mine"));
    const { entries, warnings } = await serversFor(place);
    expect(entries.map(({ name, off }) => [name, off])).toEqual([
      ["a", expect.stringContaining("not approved")],
      ["b", expect.stringContaining("not approved")],
      ["mine", null],
    ]);
    expect(warnings).toEqual([expect.stringMatching(/not approved, so not started: a, b; .*varve trust/)]);
    expect(warnings[0]).toContain(file);
  });

  test("is approved entry by entry: one that changes asks again, the others go on", async () => {
    const value = servers("a", "b");
    put("repo/.mcp.json", value);
    await approveAll();
    expect((await serversFor(place)).warnings).toEqual([]);
    put("repo/.mcp.json", {
      mcpServers: { ...value.mcpServers, b: { command: "run-b", args: ["--evil"] } },
      $schema: "x",
    });
    expect((await serversFor(place)).entries.map(({ off }) => off === null)).toEqual([true, false]);
  });

  test("is not approved by a file of the same content elsewhere", async () => {
    put("repo/.mcp.json", servers("a"));
    await approveAll();
    put("repo/app/.mcp.json", servers("a"));
    const { all } = await findServers(place);
    expect(all.map(({ trust }) => trust)).toEqual(["not approved", "trusted"]);
  });

  test("has nothing said of it where the user switched it off, or it cannot work anyway", async () => {
    put("repo/.mcp.json", { mcpServers: { a: { command: "x" }, b: { type: "sse", url: "http://b" } } });
    await chooseServer({ home: join(root, "user/.varve"), project: brand("p1") }, "a", "off");
    const { warnings, faults, entries } = await serversFor(place);
    expect(warnings).toEqual([]);
    expect(faults).toHaveLength(1);
    expect(entries.map(({ off }) => off)).toEqual([expect.stringContaining("enable"), expect.stringContaining("sse")]);
  });
});

test("what cannot be read is a fault that names its file, and the other files stand", async () => {
  put("user/.varve/mcp.json", servers("mine"));
  const broken = put("repo/.mcp.json", "{");
  const large = put("repo/app/.mcp.json", " ".repeat(bounds.settingsBytesMax + 1));
  mkdirSync(join(place.cwd, ".cursor", "mcp.json"), { recursive: true });
  symlinkSync("/dev/zero", join(root, "user/.claude.json"));
  const choices = put("user/.varve/projects/p1/mcp-choices.json", "[");
  const { entries, faults } = await serversFor(place);
  expect(entries.map(({ name }) => name)).toEqual(["mine"]);
  expect(faults).toHaveLength(5);
  for (const name of [broken, large, ".cursor/mcp.json", ".claude.json", choices])
    expect(faults.filter((fault) => fault.includes(name))).toHaveLength(1);
});

test("another program's file is read up to its own, larger bound", async () => {
  const file = put(
    "user/.claude.json",
    JSON.stringify({ ...servers("a"), history: "x".repeat(bounds.settingsBytesMax) }),
  );
  expect((await serversFor(place)).entries).toHaveLength(1);
  truncateSync(file, bounds.serversForeignBytesMax + 1);
  expect(await serversFor(place)).toMatchObject({ entries: [], faults: [expect.stringContaining("holds more than")] });
});

test("what servers are handed is masked wherever it turns up in a session", async () => {
  const key = "k-9a8b7c6d5e4f";
  put("user/.varve/mcp.json", { mcpServers: { a: { command: "x", env: { PLAIN: key } } } });
  const handed = serverSecrets((await serversFor(place)).entries);
  const found = await guardSession({ guards: usualGuards, env: {}, keys: [], handed, roots: [root], home: root });
  if (found.type === "refused") throw new Error(found.why);
  expect(found.guarded.mask.text(`PLAIN=${key}`)).toBe("PLAIN=[secret: PLAIN]");
});

test("of Claude Code's own file only its servers are judged", async () => {
  put("user/.claude.json", { mcpServers: { a: { command: "x", strange: 1 } }, projects: [], other: { mcpServers: 3 } });
  expect(await serversFor(place)).toMatchObject({ entries: [{ name: "a", off: null }], faults: [], warnings: [] });
});

describe("an entry of ours", () => {
  const entry = { command: "npx", args: ["-y", "x"], env: { K: "v" } };

  test("is added and removed, and every other byte stays", async () => {
    const text = '\ufeff{\r\n\t"$schema": "x",\r\n\t"mcpServers": {\r\n\t\t"a": {"command":"é"}\r\n\t}\r\n}';
    const file = { path: put("repo/.mcp.json", text), readers: "as others" } as const;
    expect(await addServer(file, "b", entry)).toEqual({ type: "done" });
    const added = readFileSync(file.path, "utf8");
    expect(added.startsWith(text.slice(0, text.indexOf('"é"}') + 4))).toBe(true);
    await approveAll();
    expect(await sources()).toMatchObject({ a: "project repo/.mcp.json", b: "project repo/.mcp.json" });
    expect(await removeServer(file, "b")).toEqual({ type: "done" });
    expect(readFileSync(file.path, "utf8")).toBe(text);
    expect(await removeServer(file, "b")).toEqual({ type: "absent" });
  });

  test("does not overwrite one that is there, not even with the same", async () => {
    const path = put("repo/.mcp.json", { mcpServers: { a: entry } });
    const before = readFileSync(path, "utf8");
    for (const other of [entry, { command: "y" }])
      expect(await addServer({ path, readers: "as others" }, "a", other)).toMatchObject({
        type: "refused",
        why: expect.stringContaining("already"),
      });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("begins a file of its own, which nobody else may read where it is in the home", async () => {
    const path = join(root, "user", ".varve", "mcp.json");
    expect(await addServer({ path, readers: "private" }, "__proto__", entry)).toEqual({ type: "done" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Object.keys(await sources())).toEqual(["__proto__"]);
    expect(await removeServer({ path, readers: "private" }, "__proto__")).toEqual({ type: "done" });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ mcpServers: {} });
  });

  test("goes where a link of the user's leads, and a file keeps its mode", async () => {
    const real = put("dotfiles/mcp.json", servers("a"));
    chmodSync(real, 0o640);
    const path = join(root, "repo", ".mcp.json");
    symlinkSync(real, path);
    await addServer({ path, readers: "as others" }, "b", entry);
    expect(Object.keys(JSON.parse(readFileSync(real, "utf8")).mcpServers)).toEqual(["a", "b"]);
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["comments", '{ // mine\n "mcpServers": {} }', "no plain JSON"],
    ["a list", "[]", "no object"],
    ["servers that are none", '{"mcpServers": 3}', "expected an object of servers"],
    ["other bytes than UTF-8", Buffer.from('{"é": 1}', "latin1"), "not valid"],
  ])("is not put into a file with %s, which stays as it is", async (_what, text, why) => {
    const path = put("repo/.mcp.json", text);
    const before = readFileSync(path);
    expect(await addServer({ path, readers: "as others" }, "a", entry)).toMatchObject({
      type: "refused",
      why: expect.stringContaining(why),
    });
    expect(readFileSync(path)).toEqual(before);
  });
});

test("what the user chose of a server is kept per project in the home, and no other file is touched", async () => {
  const file = put("repo/.mcp.json", { mcpServers: { a: { command: "x", disabled: true }, b: { command: "y" } } });
  const before = readFileSync(file, "utf8");
  await approveAll();
  const project: ProjectId = brand("p1");
  const mine = { home: join(root, "user/.varve"), project };
  await chooseServer(mine, "a", "on");
  await chooseServer(mine, "b", "off");
  expect((await serversFor(place)).entries.map(({ off }) => off === null)).toEqual([true, false]);
  place = { ...place, project: brand("p2") };
  expect((await serversFor(place)).entries.map(({ off }) => off === null)).toEqual([false, true]);
  expect(readFileSync(file, "utf8")).toBe(before);
});
