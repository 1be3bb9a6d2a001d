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

export type PriceRow = {
  readonly ids: readonly string[];
  /** First day (UTC) it holds, inclusive; null: since ever. */
  readonly from: string | null;
  /** First day (UTC) it no longer holds; null: until further notice. */
  readonly until: string | null;
  /** Ascending; the first begins at 0. */
  readonly tiers: readonly PriceTier[];
  readonly peak: PricePeak | null;
  /** On top of the rates where the request was served so; null: not offered or not known. */
  readonly multipliers: { readonly regional: number | null; readonly batch: number | null };
  readonly source: string;
  /** When the source was read. */
  readonly read: string;
};

/** Ids that are served and billed as another. */
export const priceAliases: Readonly<Record<string, string>> = { "deepseek-v4-flash": "deepseek-flash" };

const claudeList = "Anthropic price page";
const always = { from: null, until: null, peak: null, read: "2026-11-29" } as const;
const discounts = { regional: 1.1, batch: 0.5 } as const;

/** Writes are 1.25 x and 2 x input throughout; reads follow no rule and are named (PROTOCOLS A.2). */
function claude(input: number, read: number, output: number, promptTokensFrom = 0): PriceTier {
  return { promptTokensFrom, input, read, write5m: input * 1.25, write1h: input * 2, writeOther: input * 1.25, output };
}

/** Above 272k prompt tokens the whole request costs 2 x on input and cache, 1.5 x on output. `write` null: writes are free. */
function openai(input: number, write: number | null, read: number, output: number): readonly PriceTier[] {
  const writes = write ?? input;
  const base = { input, read, write5m: writes, write1h: writes, writeOther: writes, output };
  const twice = { input: input * 2, read: read * 2, write5m: writes * 2, write1h: writes * 2, writeOther: writes * 2 };
  return [
    { promptTokensFrom: 0, ...base },
    { promptTokensFrom: 272_001, ...twice, output: output * 1.5 },
  ];
}

function plain(input: number, read: number, output: number, promptTokensFrom = 0): PriceTier {
  return { promptTokensFrom, input, read, write5m: input, write1h: input, writeOther: input, output };
}

function claudeRow(ids: readonly string[], tiers: readonly PriceTier[], more: Partial<PriceRow> = {}): PriceRow {
  return { ...always, ids, tiers, multipliers: discounts, source: claudeList, ...more };
}

function openaiRow(id: string, tiers: readonly PriceTier[], more: Partial<PriceRow> = {}): PriceRow {
  return { ...always, ids: [id], tiers, multipliers: discounts, source: "OpenAI price page", ...more };
}

function otherRow(
  ids: readonly string[],
  tiers: readonly PriceTier[],
  source: string,
  peak: PricePeak | null = null,
): PriceRow {
  return { ...always, ids, tiers, peak, multipliers: { regional: null, batch: null }, source };
}

/** 01-04 and 06-10 UTC on working days. A holiday missing here is charged as peak: the figure then errs upward. */
const deepseekPeak: PricePeak = {
  factor: 2,
  days: [1, 2, 3, 4, 5],
  hours: [
    [1, 4],
    [6, 10],
  ],
  exceptDates: ["2026-10-01", "2026-10-02", "2026-10-05", "2026-10-06", "2026-10-07", "2027-01-01"],
};

export const priceTable: readonly PriceRow[] = [
  claudeRow(["claude-fable-5-2", "claude-mythos-5-2"], [claude(8, 0.2, 40)], {
    source: "reseller page that copies the list price; 1 h write derived by the 2 x rule",
  }),
  claudeRow(["claude-fable-5-1", "claude-mythos-5-1"], [claude(10, 0.25, 50)]),
  claudeRow(["claude-fable-5", "claude-mythos-5"], [claude(10, 1, 50)]),
  claudeRow(["claude-opus-5-5"], [claude(4, 0.2, 20)]),
  claudeRow(
    ["claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5"],
    [claude(5, 0.5, 25)],
  ),
  claudeRow(["claude-sonnet-5-5"], [claude(2, 0.2, 10)], { until: "2026-10-07" }),
  claudeRow(["claude-sonnet-5-5"], [claude(2, 0.1, 10)], { from: "2026-10-07" }),
  claudeRow(["claude-sonnet-5"], [claude(2, 0.2, 10)]),
  claudeRow(["claude-sonnet-4-6", "claude-sonnet-4-5"], [claude(3, 0.3, 15)]),
  claudeRow(["claude-haiku-5-5"], [claude(0.1, 0.01, 0.5), claude(0.5, 0.05, 2.5, 100_001)]),
  claudeRow(["claude-haiku-4-5"], [claude(1, 0.1, 5)]),
  openaiRow("gpt-6.2-astra", openai(8, 10, 0.4, 40)),
  openaiRow("gpt-6.2-sol", openai(2, 2.5, 0.1, 10)),
  openaiRow("gpt-6.1-sol", openai(2, 2.5, 0.1, 10)),
  openaiRow("gpt-6-astra", openai(10, 12.5, 1, 50)),
  openaiRow("gpt-6-sol", openai(2, 2.5, 0.2, 10)),
  openaiRow("gpt-6-luna", openai(0.1, 0.125, 0.01, 0.5)),
  openaiRow("gpt-5.6-sol", openai(5, 6.25, 0.5, 30), {
    until: "2026-09-01",
    source: "OpenAI price page; sources differ",
  }),
  openaiRow("gpt-5.6-sol", openai(4, 5, 0.4, 20), { from: "2026-09-01", source: "OpenAI price page; sources differ" }),
  openaiRow("gpt-5.6-terra", openai(2, 2.5, 0.2, 12)),
  openaiRow("gpt-5.6-luna", openai(0.2, 0.25, 0.02, 1.2)),
  openaiRow("gpt-5.5", openai(5, null, 0.5, 30)),
  openaiRow("gpt-5.4", openai(2.5, null, 0.25, 15)),
  otherRow(["deepseek-flash"], [plain(0.15, 0.003, 0.6)], "DeepSeek price page, October 2026", deepseekPeak),
  otherRow(["deepseek-v4-pro"], [plain(0.66, 0.022, 1.98)], "DeepSeek price page, October 2026", deepseekPeak),
  otherRow(["kimi-k3"], [plain(3, 0.3, 15)], "Moonshot price page, 2026-11"),
  otherRow(["kimi-k2.7-code"], [plain(0.95, 0.19, 4)], "Moonshot price page, 2026-11"),
  otherRow(["grok-4.6"], [plain(2, 0.5, 6), plain(4, 1, 12, 200_000)], "xAI price page, 2026-11"),
];
