import type { ClearedByProvider } from "../log/provider-clearing.ts";
import type { State } from "../log/state.ts";
import type { Change } from "./defence-change.ts";
import type { KeptOut } from "./defence-kept.ts";

/** What the provider cleared of one request by itself, as it reports that; of these results nothing else is kept out then. */
export function clearedByProvider(
  cleared: ClearedByProvider,
  now: readonly KeptOut[],
  { live, epoch }: State,
): readonly Change[] {
  const excluded = new Set(epoch?.providerClearing?.excludedTools ?? []);
  const results = live.filter(({ block }) => block.type === "tool-result" && !excluded.has(block.tool));
  // The oldest go first (PROTOCOLS A.4).
  const gone = new Set(results.slice(0, cleared.results).map(({ id }) => id));
  const taken = now.filter(({ anchor }) => gone.has(anchor));
  return [
    ...taken.map(({ line, side, tokens }): Change => ({ line, what: side, amount: -tokens })),
    { line: "clear", what: "kept-out", amount: cleared.tokens },
  ];
}
