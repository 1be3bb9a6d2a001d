import type { Wire } from "../../kernel/usage.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import { chatMessageRules } from "./chat-message-rules.ts";
import { chatRequestRules } from "./chat-request-rules.ts";
import { geminiRules } from "./gemini-rules.ts";
import { responsesRules } from "./responses-rules.ts";
import type { Rule } from "./rule.ts";
import { transportRules } from "./transport-rules.ts";

/** All rows of a wire, in the order they are looked at: each may rely on those before it. */
export const rules: Readonly<Record<Wire, readonly Rule[]>> = {
  anthropic: [...transportRules, ...anthropicRules],
  chat: [...transportRules, ...chatRequestRules, ...chatMessageRules],
  responses: [...transportRules, ...responsesRules],
  gemini: [...transportRules, ...geminiRules],
};
