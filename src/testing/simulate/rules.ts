import type { Wire } from "../../kernel/usage.ts";
import { anthropicBlockRules } from "./anthropic-block-rules.ts";
import { anthropicCacheRules } from "./anthropic-cache-rules.ts";
import { anthropicMessageRules } from "./anthropic-message-rules.ts";
import { anthropicPairingRules } from "./anthropic-pairing-rules.ts";
import { anthropicRequestRules } from "./anthropic-request-rules.ts";
import { anthropicThinkingRules } from "./anthropic-thinking-rules.ts";
import { anthropicToolRules } from "./anthropic-tool-rules.ts";
import { chatMessageRules } from "./chat-message-rules.ts";
import { chatRequestRules } from "./chat-request-rules.ts";
import { geminiRules } from "./gemini-rules.ts";
import { responsesCacheRules } from "./responses-cache-rules.ts";
import { responsesContentRules } from "./responses-content-rules.ts";
import { responsesItemRules } from "./responses-item-rules.ts";
import { responsesPairingRules } from "./responses-pairing-rules.ts";
import { responsesReasoningRules } from "./responses-reasoning-rules.ts";
import { responsesRequestRules } from "./responses-request-rules.ts";
import { responsesToolRules } from "./responses-tool-rules.ts";
import type { Rule } from "./rule.ts";
import { transportRules } from "./transport-rules.ts";

/** All rows of a wire, in the order they are looked at: each may rely on those before it. */
export const rules: Readonly<Record<Wire, readonly Rule[]>> = {
  anthropic: [
    ...transportRules,
    ...anthropicRequestRules,
    ...anthropicToolRules,
    ...anthropicMessageRules,
    ...anthropicBlockRules,
    ...anthropicPairingRules,
    ...anthropicCacheRules,
    ...anthropicThinkingRules,
  ],
  chat: [...transportRules, ...chatRequestRules, ...chatMessageRules],
  responses: [
    ...transportRules,
    ...responsesRequestRules,
    ...responsesToolRules,
    ...responsesItemRules,
    ...responsesContentRules,
    ...responsesPairingRules,
    ...responsesCacheRules,
    ...responsesReasoningRules,
  ],
  gemini: [...transportRules, ...geminiRules],
};
