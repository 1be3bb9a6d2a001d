/**
 * What each signal of the ranking counts. Fitted with `npm run -s bench -- toolsearch --data DIR --signals` on the queries whose
 * hash is even (docs/decisions/0045-tool-search.md).
 */
export const toolWeights = {
  /** How often a word counts by the place it stands at; the description once. */
  name: 3,
  title: 1,
  description: 1,
  parameters: 1,
  parameterWords: 1.5,
  server: 0.3,
  /** Runs of characters, beside words, which count 1: `key vault` is `keyvault`, and a slip of the pen changes few. */
  runs: 0.45,
  /** Two words of the query that stand together in a tool, or are one word there. */
  pairs: 0.1,
  /** How much of the tool's own name was asked for. */
  covered: 0.15,
  /** What the tool does is what is to be done; as much is taken off where it does something else. */
  action: 0.04,
  /** A word that means about the same. */
  related: 0.45,
  /** What a date, a place or an address in the query says of the parameters. */
  shapes: 0.5,
} as const satisfies Readonly<Record<string, number>>;

export type ToolWeights = { readonly [K in keyof typeof toolWeights]: number };
