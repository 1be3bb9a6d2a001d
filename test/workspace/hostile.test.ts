import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findRipgrep } from "../../src/adapters/ripgrep.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import { allowedBefore, hostileCommands, secretCommands } from "../support/hostile-commands.ts";
import { permissionWorld, runIn } from "../support/permission-world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({
    lists: { allow: [...allowedBefore, "Read(**)", "Edit(**)", "Edit(//**)", "Read(//**)"] },
    git: true,
  });
  mkdirSync(join(world.cwd, "sub"));
  writeFileSync(join(world.base, "secret"), "TESTKEY-8");
  mkdirSync(join(world.base, "app_secret"));
  writeFileSync(join(world.base, "app_secret", "x"), "TESTKEY-8");
  symlinkSync("../secret", join(world.cwd, "link"));
  symlinkSync("../app_secret", join(world.cwd, "linked"));
  symlinkSync("../not-there", join(world.cwd, "dangling"));
  symlinkSync("..", join(world.cwd, "sub", "up"));
  symlinkSync("/", join(world.cwd, "root"));
});
afterAll(() => world.remove());

const commands = hostileCommands();
const bare = ["Bash(git status)", "Bash(npm test:*)", "Bash(echo:*)", "Bash(ls src:*)"];

test("C-123 · none of the generated hostile commands runs unasked, whatever rules allow beside it", async () => {
  const ran: string[] = [];
  for (const { kind, command } of commands) {
    // The broad rules would let `>` ride along only where the rule for the file says so as well; here none does.
    const rules = { lists: { allow: allowedBefore } };
    const { type } = await world.command(command, rules);
    if (type === "allow") {
      await world.run(command);
      ran.push(`${kind}: ${JSON.stringify(command)}${existsSync(join(world.cwd, "P")) ? " (and made the file)" : ""}`);
    }
    expect(
      ["ask", "deny"].includes((await world.command(command, { ...rules, mode: "dontAsk" })).type) || type === "allow",
    ).toBe(true);
  }
  expect(ran).toEqual([]);
  expect(existsSync(join(world.cwd, "P"))).toBe(false);
});

test("C-123 · the set has teeth: run without permission, most of it makes the file", async () => {
  let made = 0;
  const sample = commands.filter((_command, at) => at % 8 === 0);
  for (const { command } of sample) {
    const folder = mkdtempSync(join(tmpdir(), "varve-teeth-"));
    writeFileSync(join(folder, "a.txt"), "one\n");
    await runIn(folder, command);
    if (existsSync(join(folder, "P"))) made++;
    rmSync(folder, { recursive: true, force: true });
  }
  expect(made / sample.length).toBeGreaterThan(0.6);
});

test.each(secretCommands)("C-127 · %j shows no secret and reads nothing outside unasked", async (command) => {
  expect((await world.command(command, { lists: { allow: bare } })).type).not.toBe("allow");
});

const paths = [
  ...[
    "../secret",
    "../app_secret/x",
    "link",
    "linked/x",
    "linked/new.txt",
    "linked",
    "dangling",
    "dangling/x",
    "sub/../../secret",
    "./../secret",
  ],
  ...[
    "sub/up/../../secret",
    "root/etc/passwd",
    "/etc/passwd",
    "/proc/self/environ",
    "../app/../secret",
    "//etc/passwd",
    "/",
    "..",
    "../",
  ],
  ...[
    "sub/up/up/../../secret",
    "a.txt/../../secret",
    "root",
    "~/../secret",
    "\0",
    "a\0/../../secret",
    "",
    "../APP/a.txt",
    "..//secret",
    "/../secret",
  ],
  ...[
    "./.\\./secret",
    "%2e%2e/secret",
    "%2e%2e%2fsecret",
    "..%2fsecret",
    "C:\\..\\secret",
    "..\\secret",
    "....//secret",
    "file:///etc/passwd",
  ],
];
const tools = ["Read", "Write", "Edit", "Glob", "Grep"] as const;
const cases = tools.flatMap((tool) => paths.map((path) => ({ tool, path })));

test.each(cases)("C-125 · $tool of $path stays inside, or is refused", async ({ tool, path }) => {
  const inputs = {
    Read: { path },
    Write: { path, content: "P" },
    Edit: { path, old: "TESTKEY-8", new: "P" },
    Glob: { pattern: "*", path },
    Grep: { pattern: "TESTKEY|root:", path },
  };
  const ports = { fs: world.fs, shell: nodeShell({ env: process.env }), findRipgrep, boundary: world.boundary };
  const found = builtinTools(ports).find(({ declaration }) => declaration.name === tool);
  const parsed = found?.parse(inputs[tool]);
  if (parsed === undefined || parsed.type === "bad") return;
  const verdict = await world.decide(parsed.call.access, { tool, input: inputs[tool] });
  if (verdict.type !== "allow") return;
  // Allowed is only what stays inside or cannot be used; the real tool shows that it gives nothing away.
  const mode = (): PermissionMode => "default";
  const context = {
    cwd: world.cwd,
    seen: () => null,
    original: async () => null,
    onProgress: () => {},
    mode,
    modeBefore: mode,
  };
  const outcome = await parsed.call.run(context, new AbortController().signal);
  expect(outcome.output).not.toMatch(/TESTKEY-8|root:x/);
  for (const file of outcome.files) expect(file.path.startsWith(`${world.cwd}/`)).toBe(true);
});

test("there are more than 500 hostile cases", () => {
  expect(
    new Set(commands.map(({ command }) => command)).size + secretCommands.length + cases.length,
  ).toBeGreaterThanOrEqual(800);
  expect(new Set(commands.map(({ command }) => command)).size).toBeGreaterThanOrEqual(500);
});
