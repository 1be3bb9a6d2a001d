import { day, fail, list, onlyKeys, rate, record, text, whole } from "./fields.ts";
import type { PricePeak, PriceRow, PriceTier } from "./price-row.ts";

/** Fields of a model's line that speak of its price, the same in `price-list.json` and in the user's `models.json`. */
export const priceKeys = [
  "price",
  "billedAs",
  "from",
  "until",
  "peak",
  "regional",
  "batch",
  "source",
  "read",
  "note",
] as const;

type Line = Readonly<Record<string, unknown>>;

/** The price of one line, or null where it says none. `source` is the file, for lines that name no source themselves. */
export function priceRowOf(id: string, line: Line, place: string, source: string): PriceRow | null {
  const price = priceOf(line, place);
  if (price === null) return null;
  const optional = <T>(key: string, read: (value: unknown, place: string) => T): T | null =>
    line[key] === undefined ? null : read(line[key], `${place}.${key}`);
  const from = optional("from", day);
  const until = optional("until", day);
  if (from !== null && until !== null && from >= until) fail(`${place}.until`, `a day after ${from}`);
  return {
    id,
    from,
    until,
    price,
    source: optional("source", (value, at) => text(value, at, "where the price stands")) ?? source,
    read: optional("read", day) ?? "",
    note: optional("note", (value, at) => text(value, at, "a sentence")),
  };
}

function priceOf(line: Line, place: string): PriceRow["price"] | null {
  const { price, billedAs } = line;
  if (billedAs !== undefined) {
    if (price !== undefined) fail(`${place}.billedAs`, "alone: there is a price too");
    return { type: "billed-as", id: text(billedAs, `${place}.billedAs`, "a model's name") };
  }
  if (price === undefined) return null;
  if (price === "unknown") return { type: "unknown" };
  const factor = (key: "regional" | "batch") => (line[key] === undefined ? null : rate(line[key], `${place}.${key}`));
  return {
    type: "listed",
    tiers: tiersOf(price, `${place}.price`),
    peak: line.peak === undefined ? null : peakOf(line.peak, `${place}.peak`),
    regional: factor("regional"),
    batch: factor("batch"),
  };
}

function tiersOf(price: unknown, place: string): readonly PriceTier[] {
  if (!Array.isArray(price)) return [tierOf(price, place)];
  if (price.length === 0) fail(place, "at least one tier");
  const tiers = price.map((item, at) => tierOf(item, `${place}[${at}]`));
  const ascending = tiers.every((tier, at) => tier.promptTokensFrom > (tiers[at - 1]?.promptTokensFrom ?? -1));
  if (tiers[0]?.promptTokensFrom !== 0 || !ascending)
    fail(place, "tiers with ascending promptTokensFrom, the first of which begins at 0");
  return tiers;
}

const tierKeys = ["promptTokensFrom", "input", "read", "write", "write5m", "write1h", "output"];

/** A write without a price of its own costs what its tokens cost as input. */
function tierOf(value: unknown, place: string): PriceTier {
  const tier = record(value, place);
  onlyKeys(tier, tierKeys, place);
  const rateOf = (key: string, otherwise?: number) =>
    tier[key] === undefined && otherwise !== undefined ? otherwise : rate(tier[key], `${place}.${key}`);
  const input = rateOf("input");
  const write = rateOf("write", input);
  return {
    promptTokensFrom:
      tier.promptTokensFrom === undefined ? 0 : whole(tier.promptTokensFrom, `${place}.promptTokensFrom`, 0),
    input,
    read: rateOf("read"),
    write5m: rateOf("write5m", write),
    write1h: rateOf("write1h", write),
    writeOther: write,
    output: rateOf("output"),
  };
}

function peakOf(value: unknown, place: string): PricePeak {
  const peak = record(value, place);
  onlyKeys(peak, ["factor", "days", "hours", "exceptDates"], place);
  return {
    factor: rate(peak.factor, `${place}.factor`),
    days: list(peak.days, `${place}.days`).map((one, at) => whole(one, `${place}.days[${at}]`, 0, 6)),
    hours: list(peak.hours, `${place}.hours`).map((one, at) => hoursOf(one, `${place}.hours[${at}]`)),
    exceptDates: list(peak.exceptDates ?? [], `${place}.exceptDates`).map((one, at) =>
      day(one, `${place}.exceptDates[${at}]`),
    ),
  };
}

function hoursOf(value: unknown, place: string): PricePeak["hours"][number] {
  const [from, until, ...more] = list(value, place).map((one) => whole(one, place, 0, 24));
  if (from === undefined || until === undefined || more.length > 0 || from >= until)
    return fail(place, "two hours, as in [1, 4]");
  return [from, until];
}
