import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownData } from "../../bench/data-args.ts";
import { measuredTools } from "../../bench/toolsearch.ts";
import { toolSetsIn } from "../../bench/toolsearch-data.ts";
import { bounds } from "../../src/kernel/bounds.ts";

/** The servers are started once. */
const own = toolSetsIn(ownData);

test("M-22 · on lists of real servers the tool that is needed stands nearer to the top than with plain BM25", async () => {
  for (const set of await own) {
    expect(set.skipped).toEqual([]);
    const row = measuredTools(set);
    expect(row.queries).toBeGreaterThanOrEqual(50);
    for (const at of ["at1", "at3", "at5"] as const) expect(row[at]).toBeGreaterThan(row.bm25[at]);
    expect(row.at5).toBeGreaterThanOrEqual(80);
  }
});

test("what stands in the place of 1,000 definitions is bounded, and all definitions are counted", async () => {
  const [set] = await own;
  const tools = Array.from(
    { length: 20 },
    (_, at) => set?.tools.map((tool) => ({ ...tool, server: `s${at}` })) ?? [],
  ).flat();
  const { tokens } = measuredTools({ name: "many", tools, queries: [], skipped: [] });
  expect(tools.length).toBeGreaterThan(1_000);
  expect(tokens.full).toBeGreaterThan(100_000);
  // The names are capped; the sentences around them are not names.
  expect(tokens.deferred).toBeLessThan(bounds.serverNamesTokensMax + 20 * 120);
});

test("a folder may be a set itself; what is no row is named, and a query without its tool is no query", async () => {
  const folder = await mkdtemp(join(tmpdir(), "varve-toolsearch-"));
  try {
    const rows = [
      { name: "a.b", server: "s" },
      { name: "c", inputSchema: { properties: { zebra: {} } } },
      { title: "?" },
    ];
    const queries = [
      { query: "zebra", tool: "c" },
      { query: "both", tools: ["a.b", "c", "gone"] },
      { query: "x", tool: "gone" },
    ];
    await writeFile(join(folder, "tools.jsonl"), `${rows.map((one) => JSON.stringify(one)).join("\n")}\nnot JSON\n`);
    await writeFile(join(folder, "queries.jsonl"), queries.map((one) => JSON.stringify(one)).join("\n"));
    const [set] = await toolSetsIn(folder);
    expect(set?.tools.map(({ tool, server }) => `${server}/${tool}`)).toEqual(["s/a.b", `${set?.name}/c`]);
    expect(set?.queries.map(({ gold }) => gold)).toEqual([["c"], ["a.b", "c"]]);
    expect(set?.skipped).toHaveLength(3);
    await expect(toolSetsIn(join(folder, "none"))).rejects.toThrow("holds no folder");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
