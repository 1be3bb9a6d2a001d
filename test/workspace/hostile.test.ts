import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judge } from "../../src/workspace/permission.ts";
import type { Ground } from "../../src/workspace/permission-ground.ts";
import { allowedBefore, hostileCommands, secretCommands } from "../support/hostile-commands.ts";
import { permissionWorld, rulesOf, runIn } from "../support/permission-world.ts";
import { createWorld, type World } from "../tools/world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
let tooled: World;
beforeAll(async () => {
  world = await permissionWorld({ lists: { allow: allowedBefore }, git: true });
  tooled = await createWorld();
  plant(world.base, world.cwd);
  plant(tooled.base, tooled.root);
});
afterAll(() => {
  world.remove();
  tooled.remove();
});

function plant(base: string, root: string): void {
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "a.txt"), "one\ntwo\n");
  writeFileSync(join(base, "secret"), "TESTKEY-8");
  mkdirSync(join(base, "app_secret"));
  writeFileSync(join(base, "app_secret", "x"), "TESTKEY-8");
  symlinkSync("../secret", join(root, "link"));
  symlinkSync("../app_secret", join(root, "linked"));
  symlinkSync("../not-there", join(root, "dangling"));
  symlinkSync("..", join(root, "sub", "up"));
  symlinkSync("/", join(root, "root"));
}

const commands = hostileCommands();
const bare = ["Bash(git status)", "Bash(npm test:*)", "Bash(echo:*)", "Bash(ls src:*)"];

test("C-123 · none of the generated hostile commands runs unasked, whatever rules allow beside it", async () => {
  const ran: string[] = [];
  for (const { kind, command } of commands) {
    const { type } = await world.command(command);
    if (type === "allow") {
      await world.run(command);
      ran.push(`${kind}: ${JSON.stringify(command)}${existsSync(join(world.cwd, "P")) ? " (and made the file)" : ""}`);
    }
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
  const parsed = tooled.tools.find(({ declaration }) => declaration.name === tool)?.parse(inputs[tool]);
  if (parsed?.type !== "ok") return;
  const rules = rulesOf({ allow: ["Read(**)", "Read(//**)", "Edit(**)", "Edit(//**)"] });
  const ground: Ground = {
    cwd: tooled.root,
    home: tooled.base,
    boundary: tooled.boundary,
    rules,
    gitDoubt: async () => null,
  };
  const { access } = parsed.call;
  const verdict = await judge({ mode: "default", access, tool, input: inputs[tool] }, ground);
  if (verdict.type !== "allow") return;
  // Allowed is only what stays inside or cannot be used; the real tool shows that it gives nothing away.
  const outcome = await tooled.run(tool, inputs[tool]);
  expect(outcome.output).not.toMatch(/TESTKEY-8|root:x/);
  for (const file of outcome.files) expect(file.path.startsWith(`${tooled.root}/`)).toBe(true);
});

test("C-125 · nothing outside was written by any of them", () => {
  expect(readFileSync(join(tooled.base, "secret"), "utf8")).toBe("TESTKEY-8");
  expect(readdirSync(join(tooled.base, "app_secret"))).toEqual(["x"]);
  expect(readdirSync(tooled.base).sort()).toEqual(["app", "app_secret", "secret"]);
});

test("there are more than 500 hostile cases", () => {
  expect(
    new Set(commands.map(({ command }) => command)).size + secretCommands.length + cases.length,
  ).toBeGreaterThanOrEqual(800);
  expect(new Set(commands.map(({ command }) => command)).size).toBeGreaterThanOrEqual(500);
});
