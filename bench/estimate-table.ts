import type { Gates } from "./estimate-gates.ts";
import type { SessionEstimates } from "./estimate-sessions.ts";
import { shown, table } from "./results-tables.ts";

/** For people. Shares in %. */
export function estimateTable({ all, even, odd, sessions, leftOut }: SessionEstimates): string {
  const named = [{ session: "all", ...all }, { session: "even", ...even }, { session: "odd", ...odd }, ...sessions];
  const rows = named.flatMap(({ session, raw, inFile }) => [
    [session, "raw", ...cells(raw)],
    ["", "text at hand", ...cells(inFile)],
  ]);
  const { calls, share, moreTokens, lessTokens, aboveMargin, places } = all.notInFile;
  return [
    table(["session", "of", "calls", "added p50", "p95", "grown p50", "p95", "after breaks p95", "above margin"], rows),
    `${calls} calls (${percent(share)} %) are not told by their file alone: the providers counted ${shown(moreTokens)} tokens of which it holds no text, and did not count ${shown(lessTokens)} of text that it holds. Of the calls above the margin ${aboveMargin} are of these.`,
    table(
      ["where", "calls", "tokens"],
      places.map((one) => [one.place, shown(one.calls), shown(one.tokens)]),
    ),
    ...leftOut.map(({ session, why }) => `Left out: ${session} (${why}).`),
  ].join("\n\n");
}

function cells({ calls, added, grown, afterBreak, aboveMargin }: Gates): readonly string[] {
  return [
    shown(calls),
    ...[added?.p50, added?.p95, grown?.p50, grown?.p95, afterBreak?.p95].map((share) =>
      share === undefined ? "" : percent(share),
    ),
    shown(aboveMargin),
  ];
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
