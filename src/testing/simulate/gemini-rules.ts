import { geminiContentRules } from "./gemini-content-rules.ts";
import { geminiPairingRules } from "./gemini-pairing-rules.ts";
import { geminiRequestRules } from "./gemini-request-rules.ts";
import { geminiSignatureRules } from "./gemini-signature-rules.ts";
import { geminiToolRules } from "./gemini-tool-rules.ts";
import type { Rule } from "./rule.ts";

/** The rows of the Gemini wire behind those of its transport. */
export const geminiRules: readonly Rule[] = [
  ...geminiRequestRules,
  ...geminiToolRules,
  ...geminiContentRules,
  ...geminiPairingRules,
  ...geminiSignatureRules,
];
