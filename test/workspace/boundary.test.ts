import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { type Boundary, createBoundary } from "../../src/workspace/boundary.ts";

const ground = realpathSync(mkdtempSync(join(tmpdir(), "varve-boundary-")));
/** A level further down, so that two steps up from it still lead to nothing but ours. */
const base = join(ground, "base");
const app = join(base, "app");
let boundary: Boundary;
let outsideAllowed = false;

beforeAll(async () => {
  for (const folder of ["app/src", "app/.git/hooks", "app_secret", "out"])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ["app_secret/x", "out/x", "app/src/a.ts"]) writeFileSync(join(base, file), "x");
  symlinkSync("../out", join(app, "link"));
  symlinkSync("../out", join(app, "newdir_link"));
  symlinkSync("../out/absent", join(app, "dangling"));
  symlinkSync("src", join(app, "inner"));
  symlinkSync(app, join(base, "root-link"));
  linkSync(join(app, "src/a.ts"), join(app, "hard"));
  boundary = await createBoundary({
    fs: nodeFs(),
    roots: [join(base, "root-link")],
    outsideAllowed: () => outsideAllowed,
  });
});
afterAll(() => rmSync(ground, { recursive: true, force: true }));

const outside = [
  "../app_secret/x",
  `${base}/app_secret/x`,
  "link/x",
  "link",
  "newdir_link/new.txt",
  "newdir_link/a/b/new.txt",
  "dangling",
  `${app}/../out/x`,
  "..",
  "src/../../out/x",
  "/etc/passwd",
  base,
  "/",
  "inner/../../out/x",
  `${app.toUpperCase()}/src/a.ts`,
  "./link/../../out/x",
];
test.each(outside)("C-125 · %s leads outside and is refused, with the root named", async (path) => {
  const check = await boundary.check(path, app);
  expect(check).toMatchObject({ type: "refused", why: expect.stringContaining(app) });
});

const inside = [
  "src/a.ts",
  "inner/a.ts",
  "new.txt",
  "a/b/c.txt",
  ".",
  "C:\\..",
  "%2e%2e",
  "%2e%2e/x",
  "hard",
  "..a",
  "src/..",
];
test.each(inside)("C-125 · %s stays inside", async (path) => {
  expect((await boundary.check(path, app)).type).toBe("inside");
  expect((await boundary.check(path, join(base, "root-link"))).type).toBe("inside");
});

test("C-125 · a NUL byte and an empty path are refused", async () => {
  expect((await boundary.check("src/a.ts\0.png", app)).type).toBe("refused");
  expect((await boundary.check("", app)).type).toBe("refused");
});

test("the path of a check has no links in it", async () => {
  expect(await boundary.check("inner/a.ts", app)).toMatchObject({
    path: join(app, "src/a.ts"),
    file: { kind: "file" },
  });
});

test("what can start commands is guarded, also below and in other letters", async () => {
  for (const path of [".git/hooks/pre-commit", ".GIT/config", "src/.git/config", ".varve/settings.json", ".claude/x"]) {
    expect((await boundary.check(path, app)).type).toBe("guarded");
  }
  expect((await boundary.check(".github/workflows/ci.yml", app)).type).toBe("inside");
});

test("where the mode allows outside, it is outside and not refused", async () => {
  outsideAllowed = true;
  expect(await boundary.check("link/x", app)).toMatchObject({ type: "outside", path: join(base, "out/x") });
  outsideAllowed = false;
});

test("a folder of the user's own settings inside a root is guarded whatever it is called", async () => {
  const guarded = [join(app, "src")];
  const own = await createBoundary({ fs: nodeFs(), roots: [app], outsideAllowed: () => false, guarded });
  for (const path of ["src/settings.json", "inner/trusted/x", "src"])
    expect((await own.place(path, app)).type, path).toBe("guarded");
  expect((await own.place("a.txt", app)).type).toBe("inside");
});
