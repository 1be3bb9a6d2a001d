import { addSums, noSums, type PartKey, type PartSums, partLabel } from "./parts.ts";
import type { AuditTotals, Part, ServerPart, Sums } from "./report.ts";

type Basis = AuditTotals["basis"];

export type PartInput = PartKey & { readonly sums: PartSums };

/** Money, where most of what was reported has a price. */
export function basisOf({ money }: Pick<Sums, "money">): Basis {
  return money.usd !== null && money.pricedShare >= pricedShareMin ? "usd" : "tokens";
}

const pricedShareMin = 50;

/** Of the whole bill, in percent. */
export function shareOf(
  size: { readonly tokens: number; readonly usd: number | null },
  whole: Pick<Sums, "money" | "promptTokens" | "estimatedPromptTokens" | "usage">,
  basis: Basis,
): number {
  const all =
    basis === "usd" ? (whole.money.usd ?? 0) : whole.promptTokens + whole.estimatedPromptTokens + whole.usage.output;
  const own = basis === "usd" ? (size.usd ?? 0) : size.tokens;
  return all <= 0 ? 0 : Math.round((own / all) * 1_000) / 10;
}

/** Largest first. Rounded so that the parts of the prompts still add up to the prompts. */
export function partsOf(inputs: readonly PartInput[], sums: Sums, basis: Basis): readonly Part[] {
  const isPriced = sums.money.usd !== null;
  const rounding = { exact: 0, shown: 0 };
  const rows = inputs
    .filter(({ sums: part }) => part.count > 0 || part.paid !== 0)
    .map((part): Part => {
      const paidTokens = part.category === "output" ? part.sums.paid : wholeTokens(part.sums.paid, rounding);
      const paidUsd = isPriced ? part.sums.usd : null;
      return {
        category: part.category,
        tool: part.tool,
        server: part.server,
        label: partLabel(part),
        count: part.sums.count,
        enteredTokens: Math.round(part.sums.entered),
        paidTokens,
        paidUsd,
        share: shareOf({ tokens: paidTokens, usd: paidUsd }, sums, basis),
      };
    });
  return rows.toSorted((a, b) => sizeOf(b, basis) - sizeOf(a, basis));
}

function wholeTokens(tokens: number, rounding: { exact: number; shown: number }): number {
  rounding.exact += tokens;
  const whole = Math.round(rounding.exact) - rounding.shown;
  rounding.shown += whole;
  return whole;
}

function sizeOf({ paidUsd, paidTokens }: Pick<Part, "paidUsd" | "paidTokens">, basis: Basis): number {
  return basis === "usd" ? (paidUsd ?? 0) : paidTokens;
}

/** The results of each MCP server's tools. */
export function serversOf(inputs: readonly PartInput[], sums: Sums, basis: Basis): readonly ServerPart[] {
  const found = new Map<string, { readonly tools: string[]; readonly sums: PartSums }>();
  for (const { server, tool, sums: part } of inputs) {
    if (server === null || tool === null) continue;
    const known = found.get(server) ?? { tools: [], sums: noSums() };
    found.set(server, known);
    known.tools.push(tool);
    addSums(known.sums, part);
  }
  const rows = [...found].map(([server, { tools, sums: part }]): ServerPart => {
    const paidTokens = Math.round(part.paid);
    const paidUsd = sums.money.usd === null ? null : part.usd;
    return {
      server,
      tools,
      results: part.count,
      enteredTokens: Math.round(part.entered),
      paidTokens,
      paidUsd,
      share: shareOf({ tokens: paidTokens, usd: paidUsd }, sums, basis),
    };
  });
  return rows.toSorted((a, b) => sizeOf(b, basis) - sizeOf(a, basis));
}
