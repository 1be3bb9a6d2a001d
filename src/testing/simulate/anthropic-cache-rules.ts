import type { Rule } from "./rule.ts";

export const anthropicCacheRules: readonly Rule[] = [];
