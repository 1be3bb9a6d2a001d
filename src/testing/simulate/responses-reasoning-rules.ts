import { parseJson } from "../../kernel/json.ts";
import { bindingOf, inspectThinking, prefixBefore, signedFor } from "./binding.ts";
import { invalidType } from "./responses-found.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { inputItemsOf, listOf, recordOf, textOf } from "./value.ts";

type Item = Readonly<Record<string, unknown>>;

/** What a model writes itself, so that reasoning can stand before it. */
const written = new Set([
  "message",
  "reasoning",
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "tool_search_call",
]);

/** Reasoning items go back as they came, in order, before what they led to (PROTOCOLS B.3). */
export const responsesReasoningRules: readonly Rule[] = [
  {
    id: "reasoning-item",
    paragraph: "B.3",
    check: ({ body }) =>
      firstOf(inputItemsOf(body), (item, at) => {
        if (item.type !== "reasoning") return null;
        const isSummary = (part: unknown) =>
          recordOf(part).type === "summary_text" && typeof recordOf(part).text === "string";
        if (!Array.isArray(item.summary) || !item.summary.every(isSummary))
          return invalidType(`input[${at}].summary`, "an array of summary texts");
        if (typeof item.encrypted_content === "string") return null;
        // Nothing is stored here, whatever `store` says.
        return {
          message: `Item with id '${textOf(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          param: "input",
        };
      }),
  },
  {
    id: "reasoning-signature",
    paragraph: "B.3",
    check: ({ body, segments, model }) => {
      const { forged } = inspectThinking(body, segments(), model);
      if (forged === null) return null;
      return {
        message: `The encrypted content for item ${nameAt(body, forged)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        code: "invalid_encrypted_content",
        param: "input",
      };
    },
  },
  { id: "reasoning-followed", paragraph: "B.3", check: unfollowed },
  { id: "reasoning-loop", paragraph: "B.3", check: lostInLoop },
  {
    id: "reasoning-bound",
    paragraph: "B.3",
    check: ({ body, segments, model, binding }) => {
      if (bindingOf(body, binding) !== "error") return null;
      const { mismatched } = inspectThinking(body, segments(), model);
      const first = mismatched.find(({ reason }) => reason === "prefix_binding_mismatch");
      if (first === undefined) return null;
      return {
        message: `Item '${nameAt(body, first.path)}' of type 'reasoning' is bound to a different conversation: what stands before it has changed.`,
        code: "prefix_mismatch",
        param: "input",
      };
    },
  },
];

function nameAt(body: Item, path: string): string {
  const index = Number(path.split(".")[1]);
  return textOf(inputItemsOf(body)[index]?.id) || `input[${index}]`;
}

function isWritten(item: Item | undefined): boolean {
  if (item === undefined) return false;
  const type = item.type === undefined ? "message" : textOf(item.type);
  return type === "message" ? item.role === "assistant" : written.has(type);
}

function unfollowed({ body, memory }: RuleInput): Found | null {
  const items = inputItemsOf(body);
  return firstOf(items, (item, at) => {
    const next = items[at + 1];
    if (item.type !== "reasoning" || isWritten(next) || (next !== undefined && memory.sent(next))) return null;
    return {
      message: `Item '${textOf(item.id)}' of type 'reasoning' was provided without its required following item.`,
      param: "input",
    };
  });
}

/**
 * Calls since the newest user message keep the reasoning they came with. It may be left out where it would be removed
 * anyway: made by another model, or after what has changed since.
 */
function lostInLoop(input: RuleInput): Found | null {
  const { body, memory, model } = input;
  const items = inputItemsOf(body);
  const turn = items.findLastIndex((item) => item.role === "user");
  const held = new Set(items.map((item) => item.encrypted_content));
  return firstOf(items, (item, at) => {
    if (at <= turn || !textOf(item.type).endsWith("_call")) return null;
    const sent = sentReasoning(memory.reasoningOf(textOf(item.call_id)));
    const lost = sent.find((one) => !held.has(one.encrypted_content));
    // What was never given cannot come back.
    if (lost === undefined || typeof lost.encrypted_content !== "string") return null;
    const prefix = () => prefixBefore(input.segments(), `input.${groupStart(items, at)}.`);
    const isRemoved =
      !signedFor(lost, model.id) || (model.thinking === "bound" && !signedFor(lost, model.id, prefix()));
    if (isRemoved) return null;
    return {
      message: `Item '${textOf(item.id) || textOf(item.call_id)}' of type '${textOf(item.type)}' was provided without its required 'reasoning' item: '${textOf(lost.id)}'.`,
      param: "input",
    };
  });
}

/** Where the answer begins that the item at `at` belongs to. */
function groupStart(items: readonly Item[], at: number): number {
  let start = at;
  while (start > 0 && isWritten(items[start - 1])) start -= 1;
  return start;
}

function sentReasoning(json: string | undefined): readonly Item[] {
  const parsed = parseJson(json ?? "[]");
  return parsed.type === "ok" ? listOf(parsed.value).map(recordOf) : [];
}
