import { modelsIn } from "./model-file.ts";
// Not `prices.json`: the build makes a module of it, which must not have the name of another.
import list from "./price-list.json" with { type: "json" };
import type { PriceRow } from "./price-row.ts";

/** Public prices, each with its source and the day it was read: `price-list.json`, in the form of the user's own file. */
export const priceTable: readonly PriceRow[] = rowsOf(modelsIn(list, "price-list.json"));

function rowsOf(parsed: ReturnType<typeof modelsIn>): readonly PriceRow[] {
  if (parsed.type === "bad") throw new Error(parsed.why);
  return parsed.settings.prices;
}
