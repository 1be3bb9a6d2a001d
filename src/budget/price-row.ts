/** USD per million tokens. */
export type Rates = {
  /** Prompt tokens that are neither read from nor written to a cache. */
  readonly input: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  /** Writes whose lifetime the provider does not name. */
  readonly writeOther: number;
  readonly output: number;
};

/** Rates of the whole request when its prompt, cached tokens included, has at least `promptTokensFrom`. */
export type PriceTier = Rates & { readonly promptTokensFrom: number };

/** Hours in UTC, `fromHour` inclusive, `untilHour` exclusive; days 0 = Sunday. */
export type PricePeak = {
  readonly factor: number;
  readonly days: readonly number[];
  readonly hours: readonly (readonly [fromHour: number, untilHour: number])[];
  /** Dates (UTC) on which the peak does not apply. */
  readonly exceptDates: readonly string[];
};

export type Terms = {
  readonly type: "listed";
  /** Ascending; the first begins at 0. */
  readonly tiers: readonly PriceTier[];
  readonly peak: PricePeak | null;
  /** On top of the rates where the request was served so; null: not offered or not known. */
  readonly regional: number | null;
  readonly batch: number | null;
};

/** One model's price for some time: a line of `price-list.json` or of the user's `models.json`. */
export type PriceRow = {
  readonly id: string;
  /** First day (UTC) it holds, inclusive; null: since ever. */
  readonly from: string | null;
  /** First day (UTC) it no longer holds; null: until further notice. */
  readonly until: string | null;
  /** `unknown`: the model exists, its price is not public. `billed-as`: served and billed as another id. */
  readonly price: Terms | { readonly type: "unknown" } | { readonly type: "billed-as"; readonly id: string };
  readonly source: string;
  /** The day the source was read; "" for the user's own rows. */
  readonly read: string;
  /** What is uncertain about it. */
  readonly note: string | null;
};
