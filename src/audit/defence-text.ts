import type { LineName, LineOfDefence } from "./defence-line.ts";

const names: Readonly<Record<LineName, string>> = {
  "first-forms": "first forms",
  pointers: "pointers",
  clear: "clear",
  collapse: "collapse",
  compact: "compact",
};

/** For people: a table, and what its figures mean. */
export function defenceText(lines: readonly LineOfDefence[]): readonly string[] {
  const rows: readonly (readonly string[])[] = [
    ["", "times", "tokens kept out", "saved", "spent", "worth"],
    ...lines.map(({ line, times, tokensKeptOut, ...usd }) => [
      names[line],
      times.toLocaleString("en-US"),
      tokensKeptOut.toLocaleString("en-US"),
      ...[usd.savedUsd, usd.spentUsd, usd.worthUsd].map(moneyText),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0));
  const isUnknown = lines.some(({ worthUsd }) => worthUsd === null);
  const isLoss = lines.some(({ worthUsd }) => worthUsd !== null && worthUsd < 0);
  return [
    ...rows.map((row) => row.map(pad).join("  ")),
    "saved: what it kept out, at the price of new tokens where it was never sent, then at read price in each later request,",
    "  until it would have left anyway; spent: text written again, reasoning lost, summary calls, recalls of what it took.",
    ...(isLoss
      ? [
          "A line may act because the next request would not fit, whatever that costs: its loss is the price of going on.",
        ]
      : []),
    ...(isUnknown ? ["unknown: no price of the model is known for the time of its requests."] : []),
  ];
}

function moneyText(usd: number | null): string {
  if (usd === null) return "unknown";
  const shown = Number(usd.toFixed(4));
  return `${shown < 0 ? "-" : ""}$${Math.abs(shown).toFixed(4)}`;
}
