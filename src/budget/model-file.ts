import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { PriceRow, PriceTier } from "./price-table.ts";
import type { WindowSettings } from "./window.ts";

/** The user's own knowledge of models: windows and prices that win over the tables. */
export type ModelSettings = {
  readonly windows: Readonly<Record<string, WindowSettings>>;
  readonly prices: readonly PriceRow[];
};

/**
 * Parses `models.json`:
 *
 *     {"models": [{"id": "my-model", "windowTokens": 131072, "outputTokensMax": 8192,
 *                  "price": {"input": 1, "read": 0.1, "output": 4}}]}
 *
 * Prices are USD per million tokens. `price` may be a list of tiers with `promptTokensFrom`, and may say `from` and
 * `until` (days, UTC). Writes default to the input price. Errors name the place and what was expected there.
 */
export function parseModelFile(
  text: string,
): { readonly type: "ok"; readonly settings: ModelSettings } | { readonly type: "bad"; readonly why: string } {
  const parsed = parseJson(text);
  if (parsed.type === "bad") return { type: "bad", why: `models.json is not JSON: ${parsed.why}` };
  try {
    return { type: "ok", settings: settingsOf(parsed.value) };
  } catch (error) {
    if (error instanceof FieldError) return { type: "bad", why: `models.json: ${error.message}` };
    throw error;
  }
}

/** Marks a wrong field, so that other errors are not mistaken for the user's. */
class FieldError extends Error {}

function settingsOf(value: unknown): ModelSettings {
  const root = record(value, "the file");
  onlyKeys(root, ["models"], "the file");
  const models = list(root.models, "models");
  const windows: Record<string, WindowSettings> = {};
  const prices: PriceRow[] = [];
  models.forEach((item, at) => {
    const place = `models[${at}]`;
    const model = record(item, place);
    onlyKeys(model, ["id", "windowTokens", "inputTokensMax", "outputTokensMax", "price", "from", "until"], place);
    const id = model.id;
    if (typeof id !== "string" || id === "") fail(`${place}.id`, "a model's name");
    if (model.windowTokens !== undefined) windows[id] = windowSettings(model, place);
    if (model.price !== undefined) prices.push(priceRow(id, model, place));
  });
  return { windows, prices };
}

function windowSettings(model: Record<string, unknown>, place: string): WindowSettings {
  const tokens = (key: string) => (model[key] === undefined ? undefined : positive(model[key], `${place}.${key}`));
  return {
    windowTokens: positive(model.windowTokens, `${place}.windowTokens`),
    inputTokensMax: tokens("inputTokensMax"),
    outputTokensMax: tokens("outputTokensMax"),
  };
}

function priceRow(id: string, model: Record<string, unknown>, place: string): PriceRow {
  const given = Array.isArray(model.price) ? model.price : [model.price];
  if (given.length === 0) fail(`${place}.price`, "at least one tier");
  const tiers = given.map((item, at) =>
    tierOf(item, Array.isArray(model.price) ? `${place}.price[${at}]` : `${place}.price`),
  );
  const ascending = tiers.every((tier, at) => tier.promptTokensFrom > (tiers[at - 1]?.promptTokensFrom ?? -1));
  if (tiers[0]?.promptTokensFrom !== 0 || !ascending) {
    fail(`${place}.price`, "tiers with ascending promptTokensFrom, the first of which begins at 0");
  }
  return {
    ids: [id],
    from: day(model.from, `${place}.from`),
    until: day(model.until, `${place}.until`),
    tiers,
    peak: null,
    multipliers: { regional: null, batch: null },
    source: "models.json",
    read: "",
  };
}

function tierOf(value: unknown, place: string): PriceTier {
  const tier = record(value, place);
  onlyKeys(tier, ["promptTokensFrom", "input", "read", "write", "write5m", "write1h", "output"], place);
  const rate = (key: string, otherwise?: number) =>
    tier[key] === undefined && otherwise !== undefined ? otherwise : price(tier[key], `${place}.${key}`);
  const input = rate("input");
  const write = rate("write", input);
  return {
    promptTokensFrom:
      tier.promptTokensFrom === undefined ? 0 : price(tier.promptTokensFrom, `${place}.promptTokensFrom`),
    input,
    read: rate("read"),
    write5m: rate("write5m", write),
    write1h: rate("write1h", write),
    writeOther: write,
    output: rate("output"),
  };
}

function record(value: unknown, place: string): Record<string, unknown> {
  return isRecord(value) ? value : fail(place, "an object");
}

function list(value: unknown, place: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(place, "a list");
}

function price(value: unknown, place: string): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fail(place, "a number from 0 up");
}

function positive(value: unknown, place: string): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0
    ? value
    : fail(place, "a whole number above 0");
}

function day(value: unknown, place: string): string | null {
  if (value === undefined) return null;
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? value : fail(place, 'a day like "2026-11-29"');
}

function onlyKeys(value: Record<string, unknown>, known: readonly string[], place: string): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined)
    throw new FieldError(`${place} has an unknown field "${other}"; known are ${known.join(", ")}`);
}

function fail(place: string, expected: string): never {
  throw new FieldError(`${place} should be ${expected}`);
}
