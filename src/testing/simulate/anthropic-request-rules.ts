import type { Rule } from "./rule.ts";

export const anthropicRequestRules: readonly Rule[] = [];
