import { parseJson } from "../kernel/json.ts";
import { FieldError, fail, list, onlyKeys, record, text, whole } from "./fields.ts";
import { priceKeys, priceRowOf } from "./price-fields.ts";
import type { PriceRow } from "./price-row.ts";
import { type MemoryPolicy, memoryPolicies, type WindowSettings } from "./window.ts";

/** What a file says of models: windows by name, and prices. The user's own win over the tables. */
export type ModelSettings = {
  readonly windows: Readonly<Record<string, WindowSettings>>;
  /** How the window of a model is kept. */
  readonly memory: Readonly<Record<string, MemoryPolicy>>;
  readonly prices: readonly PriceRow[];
};

export type ParsedModels =
  | { readonly type: "ok"; readonly settings: ModelSettings }
  | { readonly type: "bad"; readonly why: string };

/**
 * Parses the user's `models.json`, whose lines have the form of those in `price-list.json` (docs/models.md):
 *
 *     {"models": [{"id": "my-model", "windowTokens": 131072, "outputTokensMax": 8192,
 *                  "memory": "window", "price": {"input": 1, "read": 0.1, "output": 4}}]}
 *
 * Prices are USD per million tokens. Errors name the place and what was expected there.
 */
export function parseModelFile(fileText: string): ParsedModels {
  const parsed = parseJson(fileText);
  if (parsed.type === "bad") return { type: "bad", why: `models.json is not JSON: ${parsed.why}` };
  return modelsIn(parsed.value, "models.json");
}

/** The same for a value that is parsed already; `file` names it in errors and as a source. */
export function modelsIn(value: unknown, file: string): ParsedModels {
  try {
    return { type: "ok", settings: settingsOf(value, file) };
  } catch (error) {
    if (error instanceof FieldError) return { type: "bad", why: `${file}: ${error.message}` };
    throw error;
  }
}

const windowKeys = ["windowTokens", "inputTokensMax", "outputTokensMax"] as const;

function settingsOf(value: unknown, file: string): ModelSettings {
  const root = record(value, "the file");
  onlyKeys(root, ["models"], "the file");
  const windows = new Map<string, WindowSettings>();
  const memory = new Map<string, MemoryPolicy>();
  const prices: PriceRow[] = [];
  list(root.models, "models").forEach((item, at) => {
    const place = `models[${at}]`;
    const model = record(item, place);
    onlyKeys(model, ["id", "memory", ...windowKeys, ...priceKeys], place);
    const id = text(model.id, `${place}.id`, "a model's name");
    if (model.windowTokens !== undefined) windows.set(id, windowSettings(model, place));
    if (model.memory !== undefined) memory.set(id, policyOf(model.memory, `${place}.memory`));
    const price = priceRowOf(id, model, place, file);
    if (price !== null) prices.push(price);
  });
  return { windows: Object.fromEntries(windows), memory: Object.fromEntries(memory), prices };
}

function policyOf(value: unknown, place: string): MemoryPolicy {
  return memoryPolicies.find((one) => one === value) ?? fail(place, memoryPolicies.join(" or "));
}

function windowSettings(model: Readonly<Record<string, unknown>>, place: string): WindowSettings {
  const tokens = (key: string) => (model[key] === undefined ? undefined : whole(model[key], `${place}.${key}`, 1));
  return {
    windowTokens: whole(model.windowTokens, `${place}.windowTokens`, 1),
    inputTokensMax: tokens("inputTokensMax"),
    outputTokensMax: tokens("outputTokensMax"),
  };
}
