import { bounds } from "../kernel/bounds.ts";
import type { Example, Finding } from "./report.ts";

/** One kind of finding while it is added up: exact sums, and the largest groups of what was found. */
export type Tally = { readonly add: (example: Example) => void; readonly finding: () => Finding };

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** With `together`, what was found of one tool and text (a file that was read five times) is one example with its count. */
export function openTally(grouping: "together" | "apart" = "together"): Tally {
  const sums = { count: 0, tokens: 0, paidTokens: 0, usd: 0, isPriced: false };
  const groups = new Map<string, Open<Example>>();
  return {
    add: (example) => {
      sums.count += example.count;
      sums.tokens += example.tokens;
      sums.paidTokens += example.paidTokens;
      sums.usd += example.usd ?? 0;
      sums.isPriced ||= example.usd !== null;
      const key =
        grouping === "together"
          ? `${example.tool ?? ""}\n${example.what}`
          : `${example.file}\n${example.lane}\n${example.line}`;
      const known = groups.get(key);
      if (known !== undefined) addTo(known, example);
      else if (groups.size < bounds.auditGroupsMax) groups.set(key, { ...example });
    },
    finding: () => ({
      count: sums.count,
      tokens: Math.round(sums.tokens),
      paidTokens: Math.round(sums.paidTokens),
      usd: sums.isPriced ? sums.usd : null,
      examples: largest([...groups.values()]).map(rounded),
    }),
  };
}

/** A list that never grows beyond the largest few. */
export type Top = { readonly add: (example: Example) => void; readonly examples: () => readonly Example[] };

export function openTop(): Top {
  let kept: readonly Example[] = [];
  return {
    add: (example) => {
      const last = kept.at(-1);
      if (kept.length === bounds.auditExamplesMax && last !== undefined && weightOf(example) <= weightOf(last)) return;
      kept = largest([...kept, example]);
    },
    examples: () => kept.map(rounded),
  };
}

function largest(examples: readonly Example[]): readonly Example[] {
  return examples.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, bounds.auditExamplesMax);
}

/** By what was paid for it; by its size where nothing carried it. */
function weightOf({ paidTokens, tokens }: Example): number {
  return paidTokens > 0 ? paidTokens : tokens / 1_000_000;
}

function addTo(group: Open<Example>, example: Example): void {
  group.count += example.count;
  group.tokens += example.tokens;
  group.paidTokens += example.paidTokens;
  if (example.usd !== null) group.usd = (group.usd ?? 0) + example.usd;
}

function rounded(example: Example): Example {
  return { ...example, tokens: Math.round(example.tokens), paidTokens: Math.round(example.paidTokens) };
}
