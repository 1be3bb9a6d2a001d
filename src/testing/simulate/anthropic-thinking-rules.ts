import type { Rule } from "./rule.ts";

export const anthropicThinkingRules: readonly Rule[] = [];
