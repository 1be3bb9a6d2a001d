import { anthropicBlockRules } from "./anthropic-block-rules.ts";
import { anthropicCacheRules } from "./anthropic-cache-rules.ts";
import { anthropicCompactionRules } from "./anthropic-compaction-rules.ts";
import { anthropicEditRules } from "./anthropic-edit-rules.ts";
import { anthropicMessageRules } from "./anthropic-message-rules.ts";
import { anthropicPairingRules } from "./anthropic-pairing-rules.ts";
import { anthropicRequestRules } from "./anthropic-request-rules.ts";
import { anthropicThinkingRules } from "./anthropic-thinking-rules.ts";
import { anthropicToolRules } from "./anthropic-tool-rules.ts";
import type { Rule } from "./rule.ts";

/** All rows of the Anthropic wire, in the order they are looked at. */
export const anthropicRules: readonly Rule[] = [
  ...anthropicRequestRules,
  ...anthropicEditRules,
  ...anthropicToolRules,
  ...anthropicCompactionRules,
  ...anthropicMessageRules,
  ...anthropicBlockRules,
  ...anthropicPairingRules,
  ...anthropicCacheRules,
  ...anthropicThinkingRules,
];
