import type { Wire } from "../../kernel/usage.ts";
import { anthropicBlockRules } from "./anthropic-block-rules.ts";
import { anthropicCacheRules } from "./anthropic-cache-rules.ts";
import { anthropicCompactionRules } from "./anthropic-compaction-rules.ts";
import { anthropicEditRules } from "./anthropic-edit-rules.ts";
import { anthropicMessageRules } from "./anthropic-message-rules.ts";
import { anthropicPairingRules } from "./anthropic-pairing-rules.ts";
import { anthropicRequestRules } from "./anthropic-request-rules.ts";
import { anthropicThinkingRules } from "./anthropic-thinking-rules.ts";
import { anthropicToolRules } from "./anthropic-tool-rules.ts";
import { chatMessageRules } from "./chat-message-rules.ts";
import { chatRequestRules } from "./chat-request-rules.ts";
import { geminiRules } from "./gemini-rules.ts";
import { responsesRules } from "./responses-rules.ts";
import type { Rule } from "./rule.ts";
import { transportRules } from "./transport-rules.ts";

/** All rows of a wire, in the order they are looked at: each may rely on those before it. */
export const rules: Readonly<Record<Wire, readonly Rule[]>> = {
  anthropic: [
    ...transportRules,
    ...anthropicRequestRules,
    ...anthropicEditRules,
    ...anthropicToolRules,
    ...anthropicCompactionRules,
    ...anthropicMessageRules,
    ...anthropicBlockRules,
    ...anthropicPairingRules,
    ...anthropicCacheRules,
    ...anthropicThinkingRules,
  ],
  chat: [...transportRules, ...chatRequestRules, ...chatMessageRules],
  responses: [...transportRules, ...responsesRules],
  gemini: [...transportRules, ...geminiRules],
};
