import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseModelFile } from "../../src/budget/model-file.ts";
import { priceOf } from "../../src/budget/prices.ts";
import { assumedWindowTokens } from "../../src/budget/window.ts";
import { bounds } from "../../src/kernel/bounds.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/models.md"), "utf8");
const example = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "";

test("the example of docs/models.md is a models.json, and prices as it says", () => {
  const parsed = parseModelFile(example);
  if (parsed.type !== "ok") throw new Error(parsed.why);
  const { windows, prices: overrides } = parsed.settings;
  expect(windows["qwen3-coder"]).toMatchObject({ windowTokens: 131_072, outputTokensMax: 8_192 });
  const rates = (model: string, iso: string, tokens = 1) => priceOf(model, Date.parse(iso), tokens, { overrides });
  expect(rates("house-model", "2026-11-29T00:00:00Z")).toMatchObject({ rates: { write5m: 1.25, write1h: 2 } });
  expect(rates("tiered-model", "2026-11-30T01:00:00Z", 200_001)).toMatchObject({ rates: { input: 4, output: 12 } });
  expect(rates("tiered-model", "2026-12-25T01:00:00Z")).toMatchObject({ rates: { input: 1 } });
  expect(rates("tiered-model", "2027-01-01T00:00:00Z")).toMatchObject({ type: "unknown" });
  expect(rates("work-proxy", "2026-11-29T00:00:00Z")).toMatchObject({ model: "claude-opus-5-5" });
  expect(rates("trial-model", "2026-11-29T00:00:00Z")).toMatchObject({ type: "unknown" });
});

test("every field that docs/models.md explains is one of the example's, and the other way round", () => {
  const fields = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap((row) => row[1]?.match(/\w+/g) ?? []);
  const used = [...example.matchAll(/"(\w+)":/g)].map((found) => found[1] ?? "");
  const explainedInText = ["id", "models", "promptTokensFrom", "factor", "days", "hours", "exceptDates"];
  expect(used.filter((field) => !fields.includes(field) && !explainedInText.includes(field))).toEqual([]);
  expect(fields.filter((field) => !used.includes(field) && field !== "write5m")).toEqual([]);
});

test("the figures of docs/models.md are the program's", () => {
  expect(text).toContain(`${assumedWindowTokens.toLocaleString("en-US")} tokens`);
  expect(text).toContain("at most two seconds");
  expect(bounds.listingMsMax).toBe(2_000);
});
