import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type Part, partsIn, partsText } from "../../bench/results-file.ts";
import { resultsPage } from "../../bench/results-page.ts";

const docs = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");

const part = (id: string, args: string, result: Part["result"]): Part => ({
  id,
  command: `npm run -s bench -- ${args} --json`,
  date: "2026-11-30",
  version: "0.1.0",
  result,
});

describe("the page of results", () => {
  test("docs/results.md is what docs/results.json says: no figure is written by hand", async () => {
    expect(await docs("results.md")).toBe(resultsPage(partsIn(await docs("results.json"))));
  });

  test("it names no folder of the machine it was made on", async () => {
    for (const name of ["results.md", "results.json"])
      expect(await docs(name)).not.toMatch(/\/(?:work|home|root|tmp)\//);
  });

  test("parts go through the file unchanged", () => {
    const parts = [part("steps", "steps", { simulated: true, entries: [{ n: 1 }] })];
    expect(partsIn(partsText(parts))).toEqual(parts);
  });

  test.each(["", "[]", "{}", '{"parts":[{}]}', '{"parts":[{"id":"a"}]}'])("%j is refused", (text) => {
    expect(() => partsIn(text)).toThrow("docs/results.json");
  });

  test("each section has its command, its day, and says what is simulated", () => {
    const page = resultsPage([
      part("steps", "steps", { simulated: true, entries: [{ n: 100, stepMs: { p50: 1.5, p95: 2 }, rssMb: 90 }] }),
    ]);
    expect(page).toContain("`npm run -s bench -- steps --json` (2026-11-30, version 0.1.0). Simulated.");
    expect(page).toContain("| 100 | 1.5 | 2 | 90 |");
    expect(page).not.toContain("## Start");
  });

  test("the price points of a replay stand in one table", () => {
    const at = (read: number, netCost: number) =>
      part(`replay-${read}`, `replay --data DIR --read ${read}`, {
        sessions: 2,
        calls: 30,
        read,
        tokens: "o200k",
        lifetimes: "5m",
        strategies: [{ name: "none", netCost, visible: 99, overflows: { "200k": 0, h32k: 3 } }],
      });
    const page = resultsPage([at(0.1, 100), at(0.05, 101.25)]);
    expect(page).toContain("| strategy | net cost at 0.1 | net cost at 0.05 | odd sessions | visible |");
    expect(page).toContain("| `none` | 100 | 101.3 |  | 99 |");
  });
});
