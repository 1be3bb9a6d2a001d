import type { Rule } from "./rule.ts";

export const chatMessageRules: readonly Rule[] = [];
