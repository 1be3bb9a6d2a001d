import type { Rule } from "./rule.ts";

export const chatRequestRules: readonly Rule[] = [];
