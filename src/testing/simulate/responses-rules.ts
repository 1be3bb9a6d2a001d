import { responsesCacheRules } from "./responses-cache-rules.ts";
import { responsesCompactionRules } from "./responses-compaction-rules.ts";
import { responsesContentRules } from "./responses-content-rules.ts";
import { responsesItemRules } from "./responses-item-rules.ts";
import { responsesPairingRules } from "./responses-pairing-rules.ts";
import { responsesReasoningRules } from "./responses-reasoning-rules.ts";
import { responsesRequestRules } from "./responses-request-rules.ts";
import { responsesToolRules } from "./responses-tool-rules.ts";
import type { Rule } from "./rule.ts";

/** All rows of the Responses wire, in the order they are looked at. */
export const responsesRules: readonly Rule[] = [
  ...responsesRequestRules,
  ...responsesCompactionRules,
  ...responsesToolRules,
  ...responsesItemRules,
  ...responsesContentRules,
  ...responsesPairingRules,
  ...responsesCacheRules,
  ...responsesReasoningRules,
];
