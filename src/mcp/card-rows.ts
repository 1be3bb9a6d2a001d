import { type Card, roundedTokens, type Spread, type ToolCard } from "./cards.ts";

/** A card for `varve mcp list --json`; tokens are whole numbers, null where nothing is known. */
export type CardRow = {
  readonly server: string;
  readonly tools: number | null;
  readonly definitionTokens: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly rawTokens: Spread | null;
  readonly shownTokens: Spread | null;
  readonly costs: readonly ToolRow[];
};

type ToolRow = {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly from: ToolCard["figures"]["type"];
  readonly rawTokens: Spread | null;
  readonly shownTokens: Spread | null;
  readonly msMean: number | null;
  readonly worth: ToolCard["worth"];
  readonly instead: string | null;
};

export function cardRows(cards: readonly Card[]): readonly CardRow[] {
  return cards.map(({ server, toolCount, definitionTokens, tools }) => ({
    server,
    tools: toolCount,
    definitionTokens,
    calls: sumOf(tools, ({ calls }) => calls),
    failed: sumOf(tools, ({ failed }) => failed),
    rawTokens: together(tools, "raw"),
    shownTokens: together(tools, "shown"),
    costs: tools.map(toolRow),
  }));
}

/** The same for people: a line per server, and under it its dear tools with what costs less. */
export function cardTable(rows: readonly CardRow[]): string {
  const head = line(["server", "tools", "definitions", "calls", "failed", "mean", "max", "shown", "max"]);
  const body = rows.flatMap((row) => [
    serverLine(row),
    ...row.costs.filter(({ worth }) => worth === "dear").flatMap(dearLines),
  ]);
  return [...legend, "", head, ...body, ""].join("\n");
}

const legend = [
  "Tokens. mean, max: of one result as it came; shown: as it enters the prompt.",
  "~: as known before it was measured here.",
];

function serverLine({ server, tools, definitionTokens, calls, failed, rawTokens, shownTokens }: CardRow): string {
  const sizes = [text(tools), text(definitionTokens), text(calls), text(failed)];
  return line([server, ...sizes, ...spread(rawTokens), ...spread(shownTokens)]);
}

function toolRow({ tool, calls, failed, msMean, figures, worth, instead }: ToolCard): ToolRow {
  const measured = figures.type === "measured" ? figures : null;
  const shipped = figures.type === "shipped" ? { mean: figures.raw, max: figures.raw } : null;
  return {
    tool,
    calls,
    failed,
    from: figures.type,
    rawTokens: measured === null ? shipped : whole(measured.raw),
    shownTokens: measured === null ? null : whole(measured.shown),
    msMean: msMean === null ? null : Math.round(msMean),
    worth,
    instead,
  };
}

/** Over all tools that were measured, each by its good calls. */
function together(tools: readonly ToolCard[], which: "raw" | "shown"): Spread | null {
  const measured = tools.flatMap(({ figures, calls, failed }) =>
    figures.type === "measured" ? [{ ...figures[which], good: calls - failed }] : [],
  );
  if (measured.length === 0) return null;
  const good = sumOf(measured, (one) => one.good);
  const mean = sumOf(measured, (one) => one.mean * one.good) / good;
  return whole({ mean, max: Math.max(...measured.map(({ max }) => max)) });
}

function dearLines({ tool, calls, failed, from, rawTokens, shownTokens, instead }: ToolRow): readonly string[] {
  const raw = from === "shipped" && rawTokens !== null ? [`~${text(rawTokens.mean)}`, ""] : spread(rawTokens);
  const costs = line([`  ${tool}`, "", "", text(calls), text(failed), ...raw, ...spread(shownTokens)]);
  return instead === null ? [costs] : [costs, `    costs less: ${instead}`];
}

function spread(of: Spread | null): readonly string[] {
  return of === null ? ["", ""] : [text(roundedTokens(of.mean)), text(of.max)];
}

function text(count: number | null): string {
  return count === null ? "?" : count.toLocaleString("en-US");
}

const nameWidth = 26;
const widths = [7, 13, 8, 8, 10, 10, 10, 10] as const;

function line([name = "", ...cells]: readonly string[]): string {
  const shown = plain(name);
  const rest = widths
    .map((width, at) => (cells[at] ?? "").padStart(width))
    .join("")
    .trimEnd();
  return shown.length < nameWidth ? shown.padEnd(nameWidth) + rest : `${shown}\n${"".padEnd(nameWidth)}${rest}`;
}

/** Names are a server's or a file's words: they do not move the cursor. */
function plain(name: string): string {
  const shown = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
  return shown.length > nameCharsMax ? `${shown.slice(0, nameCharsMax)}…` : shown;
}

const nameCharsMax = 60;

function whole({ mean, max }: Spread): Spread {
  return { mean: Math.round(mean), max: Math.round(max) };
}

function sumOf<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}
