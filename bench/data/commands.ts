import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OutputRow } from "./outputs.ts";
import { faultyTests, faultyTypes, reportText, searchAnswer, shopPage, shopSnapshot, throwing } from "./written.ts";

/** What commands print on this repository and on a copy of the sample shop, and texts that we wrote in the same shapes. */
export async function commandOutputs(): Promise<{
  readonly rows: readonly OutputRow[];
  readonly testLogs: readonly (readonly [name: string, text: string])[];
}> {
  const folder = await mkdtemp(join(tmpdir(), "varve-outputs-"));
  const shop = join(folder, "shop");
  try {
    await cp(join(root, "examples/shop"), shop, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
    await symlink(join(root, "node_modules"), join(shop, "node_modules"), "dir");
    await writeFiles(shop, {
      "faulty/sums.test.mjs": faultyTests,
      "faulty/types.ts": faultyTypes,
      "faulty/throws.mjs": throwing,
    });
    const said = (command: string, cwd = root) => shown(command, cwd, shop);
    const rows = commands.map(({ cls, command, in: place }) =>
      row(cls, "Bash", command, said(command, place === "shop" ? shop : root)),
    );
    return {
      rows: [...rows.filter(({ text }) => text !== ""), ...written],
      testLogs: testRuns.map(({ name, command }) => [name, said(command, shop)]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const root = join(import.meta.dirname, "..", "..");

type Command = { readonly cls: string; readonly command: string; readonly in: "repository" | "shop" };

/** `git` without names and times: what is kept here should not depend on who made it. */
const commands: readonly Command[] = [
  { cls: "git-log", command: "git log --format='%h %s' -60", in: "repository" },
  { cls: "git-log", command: "git log --format='%h %s' -60 -- src/provider", in: "repository" },
  {
    cls: "git-diff",
    command: "git show --format='%h %s' $(git log --format=%h -1 -- src/budget/learn.ts)",
    in: "repository",
  },
  {
    cls: "git-diff",
    command: "git show --format='%h %s' $(git log --format=%h -1 -- src/digest/failures.ts)",
    in: "repository",
  },
  { cls: "git-diff", command: "git diff --stat $(git log --format=%h -1 --skip=30) HEAD", in: "repository" },
  { cls: "search", command: "git grep -n 'readonly type' -- src/log src/ports", in: "repository" },
  { cls: "search", command: "git grep -n 'bounds\\.' -- src/tools src/agent", in: "repository" },
  { cls: "search", command: "git ls-files src/provider src/agent test/provider", in: "repository" },
  { cls: "search", command: "git ls-files -s src/tools | awk '{print $1, $4}'", in: "repository" },
  { cls: "build-lint", command: "tsc --ignoreConfig --noEmit --strict --pretty false faulty/types.ts", in: "shop" },
  { cls: "build-lint", command: "biome lint --colors=off --max-diagnostics=30 faulty", in: "shop" },
  { cls: "build-lint", command: "vite build --logLevel info", in: "shop" },
  { cls: "test-run", command: "node --test faulty/sums.test.mjs", in: "shop" },
  { cls: "other-shell", command: "node --help | head -120", in: "repository" },
  { cls: "other-shell", command: "node faulty/throws.mjs", in: "shop" },
  { cls: "other-shell", command: "npm run -s traffic | head -260", in: "shop" },
  { cls: "other-shell", command: "npm run -s traffic | grep -v request | head -200", in: "shop" },
  {
    cls: "api-json",
    command: "node -p 'JSON.stringify(require(\"./src/budget/price-list.json\").models.slice(0, 25), null, 2)'",
    in: "repository",
  },
  { cls: "api-json", command: "cat package.json", in: "repository" },
  { cls: "api-json", command: "biome lint --colors=off --reporter=json faulty 2>/dev/null", in: "shop" },
  { cls: "api-json", command: "vitest run --reporter=json tests/structure.test.ts tests/cart.test.ts", in: "shop" },
  { cls: "other-shell", command: "varve models | head -60", in: "repository" },
];

const testRuns: readonly { readonly name: string; readonly command: string }[] = [
  { name: "node_failing.txt", command: "node --test --test-reporter=spec faulty/sums.test.mjs" },
  { name: "tap_failing.txt", command: "node --test --test-reporter=tap faulty/sums.test.mjs" },
  { name: "vitest_failing.txt", command: "vitest run tests/structure.test.ts tests/login.test.tsx | head -220" },
  {
    name: "vitest_verbose.txt",
    command: "vitest run --reporter=verbose tests/cart.test.ts tests/shop.test.tsx tests/orders.test.ts",
  },
];

const written: readonly OutputRow[] = [
  row("mcp", "mcp__browser__snapshot", "", shopSnapshot(40)),
  row("mcp", "mcp__browser__snapshot", "", shopSnapshot(90)),
  row("web", "WebSearch", "", searchAnswer),
  row("web", "WebFetch", "", reportText(24)),
  row("subagent-report", "Task", "", reportText(60)),
  row("other-shell", "Bash", "curl -s localhost:5173/", shopPage(30)),
  row("other-shell", "Bash", "curl -s localhost:5173/all", shopPage(110)),
];

function row(cls: string, tool: string, command: string, text: string): OutputRow {
  return { cls, tool, command, text, needed: [] };
}

/** Both streams as a terminal would show them, a failing exit code on top, and nothing of the machine it ran on. */
function shown(command: string, cwd: string, shop: string): string {
  const path = `${join(root, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined, CI: undefined };
  const script = `varve() { node '${root}/src/cli/main.ts' "$@"; }; ${command}`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script], {
    cwd,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  const text = `${stdout}${stderr}`.replaceAll(shop, "/home/dev/shop").replaceAll(root, "/home/dev/varve");
  return status === 0 || status === null ? text : `Exit code ${status}\n${text}`;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
