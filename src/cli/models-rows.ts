import type { ModelSettings } from "../budget/model-file.ts";
import { modelTable } from "../budget/model-table.ts";
import type { PriceRow, Rates } from "../budget/price-row.ts";
import { priceTable } from "../budget/price-table.ts";
import { priceOf, priceRowFor } from "../budget/prices.ts";
import { type Window, windowOf } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import type { Wire } from "../kernel/usage.ts";
import { wires } from "../kernel/usage.ts";
import type { KeptListing } from "../provider/kept-listings.ts";
import type { ListedModel } from "../provider/listed-model.ts";
import { usualModel } from "../provider/usual-model.ts";

/** What is known of one model at a time, and where each part comes from. */
export type ModelRow = {
  readonly id: string;
  readonly wire: Wire;
  readonly window: Omit<Window, "model">;
  readonly price: PriceNow;
  /** Every row of its price, for other days too; the user's stand in front. */
  readonly prices: readonly PriceRow[];
  readonly listed: (Omit<ListedModel, "id"> & { readonly address: string; readonly at: string }) | null;
  /** What of it the user's own file says. */
  readonly yours: readonly ("window" | "price")[];
};

type PriceNow =
  | {
      readonly type: "known";
      readonly billedAs: string;
      readonly tiers: readonly (Rates & { readonly promptTokensFrom: number })[];
      readonly source: string;
      readonly read: string;
      readonly note: string | null;
    }
  | { readonly type: "unknown"; readonly why: string };

type Known = {
  readonly settings: ModelSettings;
  readonly listings: readonly KeptListing[];
  readonly at: number;
};

/** Sorted by wire, then by id. */
export function modelRows(known: Known): readonly ModelRow[] {
  const { settings, listings } = known;
  const ids = new Set([
    ...modelTable.map(({ id }) => id),
    ...priceTable.map(({ id }) => id),
    ...Object.keys(settings.windows),
    ...settings.prices.map(({ id }) => id),
    ...listings.flatMap(({ models }) => models.map(({ id }) => id)),
  ]);
  const rows = [...ids].map((id) => modelRow(id, known));
  const order = ({ wire }: ModelRow) => wires.indexOf(wire);
  return rows.toSorted((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1));
}

function modelRow(id: string, { settings, listings, at }: Known): ModelRow {
  const listing = listings.find(({ models }) => models.some((model) => model.id === id));
  const listed = listing?.models.find((model) => model.id === id) ?? null;
  const settled = own(settings.windows, id) ?? null;
  const { model: _, ...window } = windowOf({ model: id, listed, settings: settled });
  const prices = [...settings.prices, ...priceTable].filter((row) => row.id === id);
  const price = priceNow(id, at, settings.prices);
  const usual = usualModel(id).wire;
  // Other vendors' ids say nothing of the wire, the service that listed them does.
  const wire = listing === undefined || usual !== "chat" ? usual : listing.wire;
  return {
    id,
    wire,
    window,
    price,
    prices,
    listed: listing === undefined || listed === null ? null : listedOf(listing, listed),
    yours: [
      ...(settled === null ? [] : (["window"] as const)),
      ...(settings.prices.some((row) => row.id === id) ? (["price"] as const) : []),
    ],
  };
}

function listedOf({ address, at }: KeptListing, { id: _, ...rest }: ListedModel): ModelRow["listed"] {
  return { ...rest, address, at: new Date(at).toISOString() };
}

/** At this time and in this hour: a peak is in the numbers. */
function priceNow(id: string, at: number, overrides: readonly PriceRow[]): PriceNow {
  const row = priceRowFor(id, at, overrides);
  const now = (promptTokens: number) => priceOf(id, at, promptTokens, { overrides });
  const first = now(0);
  if (row?.price.type !== "listed" || first.type !== "known")
    return { type: "unknown", why: first.type === "unknown" ? first.why : `no price is known for "${id}"` };
  const tiers = row.price.tiers.flatMap(({ promptTokensFrom }) => {
    const price = now(promptTokensFrom);
    return price.type === "known" ? [{ promptTokensFrom, ...price.rates }] : [];
  });
  return { type: "known", billedAs: row.id, tiers, source: row.source, read: row.read, note: row.note };
}
