import type { PriceRow, Rates } from "../budget/price-row.ts";
import type { ModelRow } from "./models-rows.ts";

const columns = { id: 26, wire: 10, window: 8, answer: 8, rate: 8, source: 5 } as const;

/** A table of at most 100 columns; sources are numbered and stand below it. `idsToo`: also ids of which nothing is known. */
export function modelsTable(rows: readonly ModelRow[], { at, idsToo }: { at: number; idsToo: boolean }): string {
  const shown = idsToo ? rows : rows.filter(isDescribed);
  const sources = [...new Set(shown.map(sourceOf))];
  const head = line(["model", "wire", "window", "answer", "in", "write", "read", "out", "from"]);
  const body = shown.flatMap((row) => tableLines(row, sources.indexOf(sourceOf(row)) + 1));
  const left = rows.length - shown.length;
  return [
    `USD per million tokens at ${timeText(at)}. From a tier on, the whole request has its price.`,
    "",
    head,
    ...body,
    "",
    ...sources.map((source, index) => wrapped(`${String(index + 1).padStart(3)}  ${source}`)),
    ...(shown.some(({ yours }) => yours.length > 0) ? ["  *  by your models.json"] : []),
    ...(shown.some(({ window }) => window.from === "listed") ? ["  +  window by the provider's own listing"] : []),
    ...(shown.some(isLeaving) ? ["  !  deprecated or retired, says its provider"] : []),
    ...(left > 0 ? [`     and ${left} more ids that providers list without a word: give a name to see them`] : []),
    "",
  ].join("\n");
}

/** All that is known of one model, with the rows of other days. */
export function modelDetail(row: ModelRow, at: number): string {
  const { window, listed, price } = row;
  const input = window.inputTokensMax === null ? "" : `, of these ${count(window.inputTokensMax)} as input`;
  return [
    row.id,
    field("wire", row.wire),
    field("window", `${count(window.windowTokens)} tokens${input} (${window.from}: ${window.note})`),
    field("answer", `up to ${count(window.outputTokensMax)} tokens`),
    ...(listed === null ? [] : [field("listed", listedText(listed))]),
    field("price", `USD per million tokens at ${timeText(at)}`),
    ...(price.type === "unknown"
      ? [field("", `unknown: ${price.why}`)]
      : price.tiers.map((tier) => field("", ratesText(tier)))),
    ...(price.type === "known" && price.billedAs !== row.id ? [field("", `billed as ${price.billedAs}`)] : []),
    ...row.prices.map((one) => field("row", rowText(one))),
    "",
  ]
    .map((text) => wrapped(text))
    .join("\n");
}

function tableLines(row: ModelRow, source: number): readonly string[] {
  const { window, price } = row;
  const marks = `${row.yours.length > 0 ? "*" : ""}${window.from === "listed" ? "+" : ""}${isLeaving(row) ? "!" : ""}`;
  const isAssumed = window.from === "assumed";
  const sizes = isAssumed ? ["?", "?"] : [short(window.windowTokens), short(window.outputTokensMax)];
  const [first, ...more] = price.type === "known" ? price.tiers : [];
  const rates = first === undefined ? ["unknown", "", "", ""] : rateTexts(first);
  const name = `${row.id}${marks === "" ? "" : ` ${marks}`}`;
  const cells = [row.wire, ...sizes, ...rates, String(source)];
  const lines = name.length < columns.id ? [line([name, ...cells])] : [name, line(["", ...cells])];
  const tiers = more.map((tier) =>
    line([`  from ${count(tier.promptTokensFrom)}`, "", "", "", ...rateTexts(tier), ""]),
  );
  return [...lines, ...tiers];
}

function line(cells: readonly string[]): string {
  const [id = "", wire = "", window = "", answer = "", ...rest] = cells;
  const sizes = window.padStart(columns.window) + answer.padStart(columns.answer);
  const rates = rest.slice(0, 4).map((rate) => rate.padStart(columns.rate));
  const source = (rest[4] ?? "").padStart(columns.source);
  return `${id.padEnd(columns.id)}${wire.padEnd(columns.wire)}${sizes}${rates.join("")}${source}`.trimEnd();
}

function rateTexts(rates: Rates): readonly string[] {
  return [rates.input, rates.writeOther, rates.read, rates.output].map(rate);
}

function isDescribed(row: ModelRow): boolean {
  return row.window.from !== "assumed" || row.price.type === "known" || row.prices.length > 0;
}

function isLeaving({ listed }: ModelRow): boolean {
  return listed?.lifecycle === "deprecated" || listed?.lifecycle === "retired";
}

function sourceOf({ price, prices, window }: ModelRow): string {
  const said = price.type === "known" ? price : prices.at(-1);
  if (said === undefined) return window.note;
  const read = said.read === "" ? "" : `, read ${said.read}`;
  return `${said.source}${read}${said.note === null ? "" : `: ${said.note}`}`;
}

function ratesText(tier: Rates & { readonly promptTokensFrom: number }): string {
  const from = tier.promptTokensFrom === 0 ? "" : `from ${count(tier.promptTokensFrom)} prompt tokens: `;
  const { input, write5m, write1h, writeOther, read, output } = tier;
  const writes = write5m === write1h ? rate(writeOther) : `${rate(write5m)} for 5 m, ${rate(write1h)} for 1 h`;
  return `${from}in ${rate(input)}, write ${writes}, read ${rate(read)}, out ${rate(output)}`;
}

function rowText({ from, until, price, source, read, note }: PriceRow): string {
  const days = `${from === null ? "" : `from ${from} `}${until === null ? "" : `before ${until} `}`;
  const where = `${source}${read === "" ? "" : `, read ${read}`}${note === null ? "" : ` (${note})`}`;
  if (price.type === "unknown") return `${days}not public; ${where}`;
  if (price.type === "billed-as") return `${days}billed as ${price.id}; ${where}`;
  const peak = price.peak === null ? "" : `; x ${price.peak.factor} at peak hours (UTC) ${hoursText(price.peak.hours)}`;
  const other = `${factorText("regional", price.regional)}${factorText("batch", price.batch)}`;
  return `${days}${price.tiers.map(ratesText).join("; ")}${peak}${other}; ${where}`;
}

function hoursText(hours: readonly (readonly [number, number])[]): string {
  return hours.map(([from, until]) => `${from}-${until}`).join(", ");
}

function factorText(name: string, factor: number | null): string {
  return factor === null ? "" : `; ${name} x ${factor}`;
}

function listedText(listed: NonNullable<ModelRow["listed"]>): string {
  const limits = [
    listed.inputTokensMax === null ? [] : [`${count(listed.inputTokensMax)} tokens in`],
    listed.outputTokensMax === null ? [] : [`${count(listed.outputTokensMax)} out`],
    listed.lifecycle === null ? [] : [listed.lifecycle],
    listed.retiresOn === null ? [] : [`to be retired on ${listed.retiresOn}`],
    listed.thinking === null ? [] : [`thinking: ${listed.thinking.join(", ") || "none"}`],
    listed.efforts === null ? [] : [`effort: ${listed.efforts.join(", ") || "none"}`],
  ].flat();
  return [`by ${listed.address} at ${timeText(Date.parse(listed.at))}`, ...limits].join("; ");
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(fieldWidth)}${value}`;
}

const fieldWidth = 8;
const widthMax = 100;

/** Long lines go on below, indented as far as their text. */
function wrapped(text: string): string {
  const indent = /^ {2}\w* +|^ *\d+ {2}|/.exec(text)?.[0].length ?? 0;
  const lines: string[] = [];
  let rest = text;
  while (rest.length > widthMax) {
    const space = rest.lastIndexOf(" ", widthMax);
    const end = space > indent ? space : rest.indexOf(" ", widthMax);
    if (end < 0) break;
    lines.push(rest.slice(0, end));
    rest = `${" ".repeat(indent)}${rest.slice(end + 1)}`;
  }
  return [...lines, rest].join("\n");
}

function rate(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 10_000) / 100}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
