import { spawnSync } from "node:child_process";
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
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../src/version.ts";

const root = join(import.meta.dirname, "..");
const place = mkdtempSync(join(tmpdir(), "varve-pack-"));
const installed = join(place, "node_modules/varve");
type Manifest = {
  readonly version: string;
  readonly bin: { readonly varve: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
};
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

function run(command: string, args: readonly string[], cwd: string) {
  const env = { PATH: process.env.PATH, HOME: place, TMPDIR: place, npm_config_cache: join(place, "cache") };
  return spawnSync(command, [...args], { cwd, env, encoding: "utf8" });
}

/**
 * Packed as for publishing and unpacked elsewhere. Beside it stand the declared dependencies and nothing else, so an
 * import of a development package fails here as it would for a user; no registry is asked.
 */
beforeAll(() => {
  const packed = run("npm", ["pack", "--pack-destination", place], root);
  expect(packed.status, packed.stderr).toBe(0);
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(installed, { recursive: true });
  expect(run("tar", ["-xzf", join(place, tarball), "--strip-components=1", "-C", installed], place).status).toBe(0);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name), "dir");
  }
}, 240_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("the packed package", () => {
  test("has the program, documents and samples, and no sources or tests", () => {
    const names = readdirSync(installed);
    expect(names).toEqual(expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "dist", "docs", "examples"]));
    for (const name of ["src", "test", "scripts", "bench", ".ci"]) expect(names).not.toContain(name);
  });

  test("every export and the command point to files that are there", () => {
    const targets = Object.values(manifest.exports).flatMap((one) =>
      typeof one === "string" ? [one] : [one.types, one.default],
    );
    for (const target of [...targets, manifest.bin.varve])
      expect(existsSync(join(installed, target)), target).toBe(true);
  });

  test("the command says the version of package.json", () => {
    const said = run(process.execPath, [join(installed, manifest.bin.varve), "--version"], place);
    expect(said.stdout.trim()).toBe(manifest.version);
    expect(version).toBe(manifest.version);
  });

  test("the demo runs from it, simulator and brain as processes of their own", () => {
    const demo = run(process.execPath, [join(installed, manifest.bin.varve), "demo", "--json"], place);
    expect(demo.status, demo.stderr).toBe(0);
    expect(JSON.parse(demo.stdout)).toMatchObject({ simulated: true, sample: "tiny", overflows: 0 });
  });

  test("a program of its user can import the library and the test tools", () => {
    writeFileSync(
      join(place, "use.mjs"),
      'import { createSession } from "varve";\nimport { spawnSimulator } from "varve/testing";\n' +
        "const simulator = await spawnSimulator([]);\nawait simulator.stop();\nconsole.log(typeof createSession);\n",
    );
    const used = run(process.execPath, ["use.mjs"], place);
    expect(used.stdout.trim(), used.stderr).toBe("function");
  });

  test("without a key it says what to do, offers the demo, and ends with 2", () => {
    const asked = run(process.execPath, [join(installed, manifest.bin.varve), "-p", "hello"], place);
    expect(asked.status).toBe(2);
    expect(asked.stderr).toContain("ANTHROPIC_API_KEY");
    expect(asked.stderr).toContain("varve demo");
  });
});
