import type { Wire } from "../kernel/usage.ts";
import type { Effort } from "./effort.ts";

/** All that decides a cache key besides tools and text (DESIGN law 2). */
export type ModelChoice = {
  readonly wire: Wire;
  readonly model: string;
  readonly effort: Effort | null;
  readonly thinking: "off" | "adaptive" | { readonly budgetTokens: number };
  readonly outputTokensMax: number;
};
