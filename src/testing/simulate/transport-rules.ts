import type { Rule } from "./rule.ts";

export const transportRules: readonly Rule[] = [];
