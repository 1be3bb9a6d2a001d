import { parseJson } from "../../kernel/json.ts";
import { bindingOf, inspectThinking, prefixBefore, signedFor } from "./binding.ts";
import { usualThinking } from "./models.ts";
import type { Found, Rule, RuleInput } from "./rule.ts";
import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

/** Reasoning goes back as it came, after exactly what it came after (PROTOCOLS A.3). */
export const anthropicThinkingRules: readonly Rule[] = [
  {
    id: "thinking-signature",
    paragraph: "A.3",
    check: ({ body, segments, model }) => {
      const { forged } = inspectThinking(body, segments(), model);
      return forged === null ? null : { message: `${forged}: Invalid \`signature\` in \`thinking\` block` };
    },
  },
  { id: "thinking-loop", paragraph: "A.3", check: openLoop },
  {
    id: "thinking-bound",
    paragraph: "A.3",
    check: ({ body, segments, model, binding }) => {
      if (bindingOf(body, binding) !== "error") return null;
      const { mismatched } = inspectThinking(body, segments(), model);
      const first = mismatched.find(({ reason }) => reason === "prefix_binding_mismatch");
      return first === undefined
        ? null
        : {
            message: `${first.path}: Invalid \`signature\` in \`thinking\` block: the block is bound to a different conversation`,
          };
    },
  },
];

/**
 * In an open tool loop the newest assistant message keeps its thinking. It may be left out, whole, only where what stands
 * before it changed, so that it would be invalid anyway; never with budgeted thinking.
 */
function openLoop(input: RuleInput): Found | null {
  const { body, memory, model } = input;
  const thinking = recordOf(body.thinking).type ?? usualThinking(model);
  const messages = messagesOf(body);
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const isOpen = messages
    .slice(at + 1)
    .some((message) => blocksOf(message.content).some((block) => block.type === "tool_result"));
  if (thinking === "disabled" || !isOpen) return null;
  const blocks = blocksOf(messages[at]?.content);
  const held = blocks.filter((block) => block.type === "thinking" || block.type === "redacted_thinking");
  const call = blocks.find((block) => block.type === "tool_use");
  const sent = sentReasoning(memory.reasoningOf(textOf(call?.id)));
  if (sent === undefined) return thinking === "enabled" && held.length === 0 ? missing(at) : null;
  if (sameReasoning(sent, held)) return null;
  const first = recordOf(sent[0]);
  // Blocks of another model are unreadable here: a client may strip them after a switch.
  if (held.length === 0 && !signedFor(first, model.id)) return null;
  if (held.length > 0)
    return {
      message: `messages.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
    };
  const isStillValid = signedFor(first, model.id, prefixBefore(input.segments(), `messages.${at}.`));
  return thinking === "enabled" || isStillValid ? missing(at) : null;
}

/** By what they say, in whatever order a client writes the members. */
function sameReasoning(a: readonly unknown[], b: readonly unknown[]): boolean {
  const essence = (blocks: readonly unknown[]) =>
    JSON.stringify(
      blocks.map(recordOf).map(({ type, thinking, signature, data }) => [type, thinking, signature, data]),
    );
  return essence(a) === essence(b);
}

function missing(at: number): Found {
  return {
    message: `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found another block. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`,
  };
}

function sentReasoning(json: string | undefined): readonly unknown[] | undefined {
  if (json === undefined) return undefined;
  const parsed = parseJson(json);
  return parsed.type === "ok" ? listOf(parsed.value) : undefined;
}
