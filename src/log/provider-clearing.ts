/**
 * What the provider is asked to clear by itself (PROTOCOLS A.4): in a request above the trigger, the results of all but the
 * newest uses of tools. It clears in what it reads; we go on sending the whole.
 */
export type ProviderClearing = {
  readonly triggerTokens: number;
  readonly keptUses: number;
  /** For less it does nothing. */
  readonly clearedTokensMin: number;
  readonly excludedTools: readonly string[];
};

/** What of a request the provider says it cleared before the model read it. */
export type ClearedByProvider = { readonly results: number; readonly tokens: number };
