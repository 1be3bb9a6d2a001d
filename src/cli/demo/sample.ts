import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import { UsageError } from "../exit.ts";
import type { Task } from "./plan.ts";
import { browserTasks } from "./tasks/browser.ts";
import { discount } from "./tasks/discount.ts";
import { shopTasks } from "./tasks/shop.ts";

export type Counts = { readonly passed: number; readonly failed: number };

/** A project that the demo works on: where it comes from, what is asked, who answers, how it is checked. */
export type Sample = {
  readonly name: "shop" | "browser" | "tiny";
  /** What is asked, one after the other in one session. */
  readonly tasks: readonly [Task, ...Task[]];
  /** File of the simulator's brain. */
  readonly brain: string;
  /** Copies the project; the folder must be new or empty. */
  copyTo(folder: string): Promise<void>;
  /** The project's own tests, in that copy. */
  test(folder: string): Promise<Counts>;
};

const root = fileURLToPath(new URL("../../../", import.meta.url));
const packages = join(root, "node_modules");
const isBuilt = !import.meta.url.endsWith(".ts");

/** Null where the shop's packages are not installed: they are not part of what users install. */
export function shopSample(): Sample | null {
  return shopWith({ name: "shop", tasks: shopTasks, brain: brainFile("brain") }, []);
}

/** The same shop without the tests of what nobody asks for here; null as above. */
export function browserSample(): Sample | null {
  return shopWith({ name: "browser", tasks: browserTasks, brain: brainFile("brain-browser") }, testsOfOthers);
}

export const testsOfOthers: readonly string[] = ["tests/structure.test.ts", "tests/wishlist.test.tsx"];

function shopWith(of: Pick<Sample, "name" | "tasks" | "brain">, leftOut: readonly string[]): Sample | null {
  if (!["vitest", "vite", "react", "happy-dom"].every((name) => existsSync(join(packages, name)))) return null;
  return {
    ...of,
    async copyTo(folder) {
      await copyProject("shop", folder);
      for (const path of leftOut) await rm(join(folder, path));
      await symlink(packages, join(folder, "node_modules"), "dir");
    },
    test: (folder) => vitestCounts(join(packages, "vitest/vitest.mjs"), folder),
  };
}

export function tinySample(): Sample {
  return {
    name: "tiny",
    tasks: [discount],
    brain: brainFile("brain-short"),
    copyTo: (folder) => copyProject("tiny", folder),
    async test(folder) {
      const text = await outputOf(["check.mjs"], folder);
      const found = /(\d+) passed, (\d+) failed/.exec(text);
      return { passed: Number(found?.[1] ?? 0), failed: Number(found?.[2] ?? 1) };
    },
  };
}

function brainFile(name: string): string {
  return fileURLToPath(new URL(isBuilt ? `./${name}.mjs` : `./${name}.ts`, import.meta.url));
}

async function copyProject(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new UsageError(`--work: ${folder} is not empty; name a new folder`);
  await cp(join(root, "examples", name), folder, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
}

async function vitestCounts(vitest: string, folder: string): Promise<Counts> {
  const scratch = await mkdtemp(join(tmpdir(), "varve-tests-"));
  try {
    const file = join(scratch, "report.json");
    await outputOf([vitest, "run", "--reporter=json", `--outputFile=${file}`], folder);
    const parsed = parseJson(await readFile(file, "utf8"));
    const report = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    return { passed: Number(report.numPassedTests ?? 0), failed: Number(report.numFailedTests ?? 1) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const testMsMax = 120_000;

/** Output of a Node program; how it ended is in its own report. */
function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: testMsMax });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
}
