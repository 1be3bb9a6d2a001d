import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Shell } from "../../src/ports/shell.ts";
import { globTool } from "../../src/tools/glob.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
  world.put(".gitignore", "ignored/\n*.log\n");
  world.put("src/a.ts", "alpha\nbeta -flag\nalpha beta\n");
  world.put("src/deep/b.tsx", "Alpha\r\nalpha$\r\n");
  world.put("src/Z.md", "alpha\n");
  world.put("ignored/x.ts", "alpha\n");
  world.put("app.log", "alpha\n");
  world.put(".github/ci.yml", "alpha\n");
  world.put(".git/config", "alpha\n");
  mkdirSync(join(world.base, "out"));
  writeFileSync(join(world.base, "out/secret.ts"), "alpha\n");
  symlinkSync("../out", world.file("link"));
});
afterAll(() => world.remove());
const grep = (input: object) => world.text("Grep", input);
const glob = (input: object) => world.text("Glob", input);

describe("Grep", () => {
  test("gives path, line and text; ignored files, version control and links are left out", async () => {
    expect(await grep({ pattern: "alpha" })).toBe(
      ".github/ci.yml:1:alpha\nsrc/Z.md:1:alpha\nsrc/a.ts:1:alpha\nsrc/a.ts:3:alpha beta\nsrc/deep/b.tsx:2:alpha$",
    );
  });

  test("glob, path, case, context, files, counts", async () => {
    expect(await grep({ pattern: "alpha", glob: "*.{ts,tsx}", mode: "files" })).toBe("src/a.ts\nsrc/deep/b.tsx");
    expect(await grep({ pattern: "alpha", glob: "**/*.ts", mode: "count" })).toBe("src/a.ts:2");
    expect(await grep({ pattern: "alpha", path: "src/a.ts", mode: "count" })).toBe("src/a.ts:2");
    expect(await grep({ pattern: "alpha", path: "src/a.ts", mode: "files" })).toBe("src/a.ts");
    expect(await grep({ pattern: "alpha", glob: "src/*", mode: "files" })).toBe("src/Z.md\nsrc/a.ts");
    expect(await grep({ pattern: "alpha", glob: "src/**/*.tsx" })).toBe("src/deep/b.tsx:2:alpha$");
    expect(await grep({ pattern: "alpha", glob: "!*.ts", path: "src", mode: "files" })).toBe(
      "src/Z.md\nsrc/deep/b.tsx",
    );
    expect(await grep({ pattern: "alpha", path: "src/Z.md" })).toBe("src/Z.md:1:alpha");
    expect(await grep({ pattern: "^ALPHA$", ignoreCase: true, path: "src/deep" })).toBe("src/deep/b.tsx:1:Alpha");
    expect(await grep({ pattern: "^beta", context: 1, path: "src/a.ts" })).toBe(
      "src/a.ts-1-alpha\nsrc/a.ts:2:beta -flag\nsrc/a.ts-3-alpha beta",
    );
  });

  test("an ignored file stays ignored when a glob names its kind", async () => {
    for (const pattern of ["*.log", "**/*.log", "./*.log"])
      expect(await grep({ pattern: "alpha", glob: pattern })).toContain("[no match");
  });

  test("a pattern may begin with a dash; a pattern is a regular expression", async () => {
    expect(await grep({ pattern: "-flag" })).toBe("src/a.ts:2:beta -flag");
    expect(await grep({ pattern: "--files" })).toBe('[no match for "--files" in .]');
    expect(await grep({ pattern: "alpha\\$" })).toBe("src/deep/b.tsx:2:alpha$");
  });

  test("no match is an answer, not a failure; a broken pattern is a failure that says why", async () => {
    expect(await world.run("Grep", { pattern: "gamma", glob: "*.ts" })).toMatchObject({
      ending: "done",
      output: '[no match for "gamma" in ., files *.ts]',
    });
    expect(await world.run("Grep", { pattern: "(" })).toMatchObject({
      ending: "failed",
      output: expect.stringContaining("regex parse error"),
    });
  });

  test("law 10 · above the limit the number of all matches is said", async () => {
    world.put("many/m.txt", "omega\n".repeat(bounds.matchesDefault + 1));
    const lines = (await grep({ pattern: "omega" })).split("\n");
    expect(lines).toHaveLength(bounds.matchesDefault + 1);
    expect(lines.at(-1)).toBe(
      `[100 of ${bounds.matchesDefault + 1} matching lines shown; narrow pattern, path or glob, or raise limit]`,
    );
    expect(
      (await grep({ pattern: "omega", limit: 2, context: 1 })).split("\n").filter((line) => line.includes(":")),
    ).toHaveLength(2);
    expect(await grep({ pattern: "omega", limit: 1, glob: "many/*" })).toContain("[1 of 101 matching lines shown");
    expect(await grep({ pattern: "alpha", limit: 1, mode: "files" })).toBe(
      ".github/ci.yml\n[1 of 4 files shown; narrow pattern, path or glob, or raise limit]",
    );
  });

  test("lines that are no UTF-8, and wide characters around the match, are shown right", async () => {
    world.put("enc/l.txt", new Uint8Array([0xfc, 0x71, 0x71, 0x71, 0x0a]));
    expect(await grep({ pattern: "qqq", path: "enc" })).toBe("enc/l.txt:1:\uFFFDqqq");
    world.put("enc/w.txt", `${"字".repeat(5_000)}ZZZ${"😀".repeat(5_000)}\n`);
    expect(await grep({ pattern: "ZZZ", path: "enc" })).toBe(
      `enc/w.txt:1:${"字".repeat(120)}ZZZ${"😀".repeat(60)} [characters 4881-5063 of 10003]`,
    );
  });

  test("C-125 · outside is refused, also through a link; absent paths are said", async () => {
    for (const path of ["..", "link", "/etc"]) {
      expect(await world.run("Grep", { pattern: "x", path })).toMatchObject({
        ending: "failed",
        output: expect.stringContaining("outside"),
      });
    }
    expect((await world.run("Grep", { pattern: "x", path: "none" })).output).toContain("does not exist");
  });
});

describe("Glob", () => {
  test("sorts by code units, leaves ignored files out, knows hidden ones", async () => {
    expect(await glob({ pattern: "src/**" })).toBe("src/Z.md\nsrc/a.ts\nsrc/deep/b.tsx");
    expect(await glob({ pattern: "*.{ts,log,yml}" })).toBe(".github/ci.yml\nsrc/a.ts");
    expect(await glob({ pattern: "*.ts*", path: "src" })).toBe("src/a.ts\nsrc/deep/b.tsx");
    expect(await glob({ pattern: `${world.root}/src/*.ts` })).toBe("src/a.ts");
    expect(await glob({ pattern: "*.none" })).toBe("[no file matches *.none in .]");
  });

  test("law 10 · above the bound the number of all files is said", async () => {
    const count = bounds.globFilesMax + 1;
    for (let n = 0; n < count; n++) world.put(`lots/f${n}.x`, "");
    const lines = (await glob({ pattern: "*.x" })).split("\n");
    expect(lines).toHaveLength(bounds.globFilesMax + 1);
    expect(lines.at(-1)).toBe(`[${bounds.globFilesMax} of ${count} files shown; narrow the pattern]`);
  });

  test("C-125 · outside is refused", async () => {
    for (const input of [{ pattern: "*", path: "link" }, { pattern: "*", path: ".." }, { pattern: "/etc/*" }]) {
      expect((await world.run("Glob", input)).ending).toBe("failed");
    }
  });
});

describe("when the search itself goes wrong", () => {
  const context = () => ({
    cwd: world.root,
    seen: () => null,
    original: async () => null,
    mode: () => "default" as const,
    modeBefore: () => "default" as const,
    tasksStarted: () => 0,
    tasksEnded: () => ({}),
    onProgress: () => {},
  });
  const never = new AbortController().signal;
  const result = {
    output: { head: "", bytesLeftOut: 0, tail: "" },
    errorOutput: { head: "", bytesLeftOut: 0, tail: "" },
    leftBehind: "none",
  } as const;
  async function runWith(shell: Shell, found: boolean) {
    const findRipgrep = async () =>
      found
        ? ({ type: "found", path: "rg" } as const)
        : ({ type: "missing", why: "ripgrep is not installed" } as const);
    const options = { shell, findRipgrep, boundary: world.boundary };
    const parsed = grepTool(options).parse({ pattern: "x", path: "swap" });
    const parsedGlob = globTool(options).parse({ pattern: "*", path: "src" });
    if (parsed.type === "bad" || parsedGlob.type === "bad") throw new Error("bad");
    return { grep: await parsed.call.run(context(), never), glob: await parsedGlob.call.run(context(), never) };
  }
  beforeAll(() => world.put("swap/x", ""));

  test("a machine without ripgrep gets a clear error", async () => {
    const outcomes = await runWith(world.shell, false);
    expect(outcomes.grep).toMatchObject({ ending: "failed", output: "ripgrep is not installed" });
    expect(outcomes.glob.ending).toBe("failed");
  });

  test("a search at its time limit says that it is not complete", async () => {
    const outcomes = await runWith({ run: async () => ({ ...result, end: { type: "timed-out" } }) }, true);
    expect(outcomes.grep.output).toContain(`[not complete: the search was ended after ${bounds.searchMsMax} ms`);
  });

  test("C-125 · a folder that was swapped for a link during the search gives nothing", async () => {
    const swapping: Shell = {
      run: async () => {
        renameSync(world.file("swap"), world.file("swap-old"));
        symlinkSync("../out", world.file("swap"));
        return { ...result, output: { ...result.output, head: "secret" }, end: { type: "exited", exitCode: 0 } };
      },
    };
    expect((await runWith(swapping, true).catch(() => null))?.grep ?? { output: "replaced" }).toMatchObject({
      output: expect.stringContaining("replaced"),
    });
  });
});

test("law 10 · patterns and limits above their bounds are refused before anything runs", async () => {
  await expect(grep({ pattern: "x".repeat(bounds.patternCharsMax + 1) })).rejects.toThrow("at most 1000 characters");
  await expect(grep({ pattern: "x", limit: bounds.matchesMax + 1 })).rejects.toThrow("limit: expected integer");
  await expect(grep({ pattern: "x", glob: "{a,b}".repeat(9) })).rejects.toThrow("alternatives");
  await expect(glob({ pattern: "x".repeat(bounds.patternCharsMax + 1) })).rejects.toThrow("at most 1000 characters");
});
