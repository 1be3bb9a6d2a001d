import { findingRules } from "./advice-findings.ts";
import { partRules } from "./advice-parts.ts";
import type { Found } from "./advice-words.ts";
import { shareOf } from "./part-rows.ts";
import type { Advice, AuditTotals } from "./report.ts";

/** What is large, and what to do about it: largest block first. Less than a hundredth of the bill is no advice. */
export function adviceOf(totals: AuditTotals): readonly Advice[] {
  const { basis } = totals;
  const sized = [...partRules, ...findingRules].flatMap((rule) => rule(totals)).map((found) => advice(found, totals));
  return sized
    .filter(({ share }) => share >= shareMin)
    .toSorted((a, b) => (basis === "usd" ? (b.usd ?? 0) - (a.usd ?? 0) : b.tokens - a.tokens));
}

const shareMin = 1;

function advice(found: Found, totals: AuditTotals): Advice {
  const tokens = Math.round(found.tokens);
  return { ...found, tokens, share: shareOf({ tokens, usd: found.usd }, totals, totals.basis) };
}
