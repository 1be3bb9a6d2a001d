import type { Rule } from "./rule.ts";

export const anthropicMessageRules: readonly Rule[] = [];
