import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";

const tests = fileURLToPath(new URL("../", import.meta.url));

test("law 10 · each row of the table of bounds is named by a test", async () => {
  const files = (await readdir(tests, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(join(tests, name), "utf8")));
  const named = texts.join("\n");
  expect(Object.keys(bounds).filter((name) => !new RegExp(`\\bbounds\\.${name}\\b|"${name}"`).test(named))).toEqual([]);
});
