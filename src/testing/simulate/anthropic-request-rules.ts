import { isRecord } from "../../kernel/canonical.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, listOf, numberOf, recordOf, textOf } from "./value.ts";

const known = new Set(
  (
    "model messages max_tokens system tools tool_choice thinking metadata stop_sequences stream temperature top_p top_k service_tier " +
    "output_config output_format cache_control diagnostics inference_geo speed context_management compaction"
  ).split(" "),
);
/** Real features that this simulator does not play; better refused than half done. */
const notPlayed = ["thread", "container", "mcp_servers", "fallbacks"];

/** The envelope of a Messages request: fields, model, limits, settings that newer models refuse. */
export const anthropicRequestRules: readonly Rule[] = [
  {
    id: "version",
    paragraph: "A.10",
    check: ({ headers }) =>
      (headers["anthropic-version"] ?? "") === "" ? { message: "anthropic-version: header is required" } : null,
  },
  {
    id: "not-simulated",
    paragraph: "A.5",
    check: ({ body }) =>
      firstOf(notPlayed, (name) => (body[name] == null ? null : `${name}: not available in this simulator`)),
  },
  {
    id: "unknown-field",
    paragraph: "A.12",
    check: ({ body }) =>
      firstOf(Object.keys(body), (name) =>
        known.has(name) || notPlayed.includes(name) ? null : `${name}: Extra inputs are not permitted`,
      ),
  },
  { id: "beta", paragraph: "A.4", check: missingBeta },
  {
    id: "model",
    paragraph: "A.1",
    check: ({ body, model }) => {
      if (typeof body.model !== "string") return { message: "model: Field required" };
      return model.id === body.model ? null : { status: 404, message: `model: ${body.model}` };
    },
  },
  { id: "max-tokens", paragraph: "A.10", check: maxTokens },
  {
    id: "prewarm",
    paragraph: "A.2",
    check: ({ body }) => {
      if (body.max_tokens !== 0) return null;
      const isForced = ["any", "tool"].includes(textOf(recordOf(body.tool_choice).type));
      const cannot =
        body.stream === true || isForced || recordOf(body.thinking).type === "enabled" || body.output_format != null;
      return cannot
        ? {
            message:
              "max_tokens: 0 cannot be combined with streaming, budgeted thinking, structured output or forced tool choice",
          }
        : null;
    },
  },
  { id: "field-types", paragraph: "A.12", check: fieldTypes },
  {
    id: "sampling",
    paragraph: "A.3",
    check: ({ body, model }) => {
      if (model.sampling) return null;
      if (body.temperature != null && body.temperature !== 1)
        return { message: "`temperature` may only be set to 1 on this model." };
      return firstOf(["top_p", "top_k"], (name) =>
        body[name] == null ? null : `\`${name}\` is not supported on this model.`,
      );
    },
  },
  { id: "thinking-kind", paragraph: "A.3", check: thinkingKind },
  { id: "tool-choice", paragraph: "A.3", check: toolChoice },
  {
    id: "system",
    paragraph: "A.12",
    check: ({ body }) => {
      if (body.system === undefined || typeof body.system === "string") return null;
      if (!Array.isArray(body.system)) return { message: "system: Input should be a valid string or list" };
      return firstOf(blocksOf(body.system), (block, index) => {
        if (block.type !== "text" || typeof block.text !== "string")
          return `system.${index}: Input should be a text block`;
        return block.text.trim() === "" ? "system: text content blocks must be non-empty" : null;
      });
    },
  },
];

function missingBeta({ headers, body }: RuleInput): Found | null {
  const betas = headers["anthropic-beta"] ?? "";
  if (body.context_management != null && !/context-management-|compact-/.test(betas)) {
    return { message: "context_management: Extra inputs are not permitted" };
  }
  const binding = recordOf(body.thinking).block_binding;
  if (binding == null) return null;
  if (!betas.includes("thinking-binding-controls-2026-08-01"))
    return { message: "thinking.block_binding: Extra inputs are not permitted" };
  const behavior = recordOf(binding).prefix_mismatch_behavior;
  return behavior === "error" || behavior === "drop_block"
    ? null
    : { message: "thinking.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'" };
}

function maxTokens({ body, model }: RuleInput): Found | null {
  const asked = body.max_tokens;
  if (asked === undefined) return { message: "max_tokens: Field required" };
  if (typeof asked !== "number" || !Number.isInteger(asked) || asked < 0) {
    return { message: "max_tokens: Input should be a valid integer, greater than or equal to 0" };
  }
  if (asked <= model.outputTokensMax) return null;
  return {
    message: `max_tokens: ${asked} > ${model.outputTokensMax}, which is the maximum allowed number of output tokens for ${model.id}`,
  };
}

function fieldTypes({ body }: RuleInput): Found | null {
  if (body.stream !== undefined && typeof body.stream !== "boolean")
    return { message: "stream: Input should be a valid boolean" };
  const metadata = body.metadata;
  if (metadata !== undefined && (!isRecord(metadata) || Object.keys(metadata).some((key) => key !== "user_id"))) {
    return { message: "metadata: Extra inputs are not permitted" };
  }
  const user = recordOf(metadata).user_id;
  if (user != null && (typeof user !== "string" || user.length > 512))
    return { message: "metadata.user_id: Input should be a string of at most 512 characters" };
  return firstOf(listOf(body.stop_sequences), (stop) =>
    typeof stop === "string" && stop.trim() !== ""
      ? null
      : "stop_sequences: each stop sequence must contain non-whitespace",
  );
}

function thinkingKind({ body, model }: RuleInput): Found | null {
  if (body.thinking === undefined) return null;
  const { type, budget_tokens } = recordOf(body.thinking);
  if (typeof type !== "string" || !model.thinkingKinds.includes(type)) {
    return { message: `thinking.type: "${String(type)}" is not supported on ${model.id}` };
  }
  if (type !== "enabled") return null;
  const budget = numberOf(budget_tokens) ?? 0;
  if (budget < 1_024)
    return { message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" };
  return budget < (numberOf(body.max_tokens) ?? Number.POSITIVE_INFINITY)
    ? null
    : { message: "`max_tokens` must be greater than `thinking.budget_tokens`." };
}

function toolChoice({ body, model }: RuleInput): Found | null {
  if (body.tool_choice === undefined) return null;
  const { type, name } = recordOf(body.tool_choice);
  if (typeof type !== "string" || !["auto", "any", "tool", "none"].includes(type))
    return { message: "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'" };
  const tools = listOf(body.tools).map(recordOf);
  if (tools.length === 0) return { message: "tool_choice: may only be specified while providing tools" };
  if (type !== "any" && type !== "tool") return null;
  if (!model.forcedTool) return { message: `tool_choice: "${type}" is not supported on ${model.id}; use "auto"` };
  return type === "any" || tools.some((tool) => tool.name === name)
    ? null
    : { message: `tool_choice.name: Tool '${String(name)}' not found in provided tools` };
}
