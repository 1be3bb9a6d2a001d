import { isRecord } from "../../kernel/canonical.ts";
import {
  invalidType,
  invalidValue,
  missingParameter,
  notPlayed,
  notSupported,
  unknownParameter,
} from "./responses-found.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf } from "./value.ts";

/** `client_metadata` is sent by codex and in no type of the SDK (STACK 5). */
const known = new Set(
  (
    "access_programs background background_options client_metadata context_management conversation image include input instructions " +
    "max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key " +
    "prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text " +
    "tool_choice tools top_logprobs top_p truncation user"
  ).split(" "),
);
const stateful = ["previous_response_id", "conversation", "prompt", "moderation", "background_options"];
const booleans = ["stream", "store", "parallel_tool_calls", "background"];
const texts: Readonly<Record<string, number>> = {
  instructions: Number.POSITIVE_INFINITY,
  prompt_cache_key: 64,
  safety_identifier: 128,
  user: 512,
};
const tiers = ["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
const includable = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
];
const outputTokensMin = 16;

/** The envelope of a Responses request. */
export const responsesRequestRules: readonly Rule[] = [
  {
    id: "unknown-field",
    paragraph: "B.1",
    check: ({ body }) => firstOf(Object.keys(body), (name) => (known.has(name) ? null : unknownParameter(name))),
  },
  {
    id: "model",
    paragraph: "B.1",
    check: ({ body, model }) => {
      if (typeof body.model !== "string") return missingParameter("model");
      if (model.id === body.model) return null;
      return {
        message: `The requested model '${body.model}' does not exist.`,
        code: "model_not_found",
        param: "model",
      };
    },
  },
  {
    // Nothing is stored here, and `auto` truncation takes the cache and the reasoning with it.
    id: "not-played",
    paragraph: "B.4",
    check: ({ body }) => {
      if (body.background === true) return notPlayed("background");
      if (body.truncation === "auto") return notPlayed("truncation");
      return firstOf(stateful, (name) => (body[name] == null ? null : notPlayed(name)));
    },
  },
  { id: "field-types", paragraph: "B.1", check: badField },
  { id: "max-tokens", paragraph: "B.1", check: maxTokens },
  {
    id: "sampling",
    paragraph: "B.1",
    check: ({ body, model }) => {
      const usual: Readonly<Record<string, number>> = { temperature: 1, top_p: 1, top_logprobs: 0 };
      return firstOf(Object.entries(usual), ([name, value]) =>
        model.sampling || body[name] == null || body[name] === value ? null : notSupported(name, model.id),
      );
    },
  },
  {
    id: "stream-options",
    paragraph: "B.6",
    check: ({ body }) => {
      if (body.stream_options == null) return null;
      const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
      if (body.stream !== true) return { message, param: "stream_options" };
      return unknownMember(body.stream_options, "stream_options", ["include_obfuscation"]);
    },
  },
  { id: "reasoning", paragraph: "B.1", check: ({ body, model }) => badReasoning(body.reasoning, model.efforts) },
  { id: "text", paragraph: "B.2", check: ({ body }) => badText(body.text) },
];

/** The first member of an object that has no place there; a text for what is no object. */
export function unknownMember(value: unknown, path: string, names: readonly string[]): Found | null {
  if (!isRecord(value)) return invalidType(path, "an object");
  const extra = Object.keys(value).find((name) => !names.includes(name));
  return extra === undefined ? null : unknownParameter(`${path}.${extra}`);
}

/** How the answer's text is to look, here or in a configuration update. */
export function badFormat(format: unknown, path: string): Found | null {
  if (format == null) return null;
  const { type, name, schema } = recordOf(format);
  const types = ["text", "json_object", "json_schema"];
  if (!types.includes(String(type))) return invalidValue(type, types, `${path}.type`);
  if (type !== "json_schema") return unknownMember(format, path, ["type"]);
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return missingParameter(`${path}.name`);
  if (!isRecord(schema)) return missingParameter(`${path}.schema`);
  return unknownMember(format, path, ["type", "name", "schema", "strict", "description"]);
}

function badField({ body }: RuleInput): Found | null {
  const { metadata, include, service_tier: tier, truncation } = body;
  return (
    firstOf(booleans, (name) =>
      body[name] == null || typeof body[name] === "boolean" ? null : invalidType(name, "a boolean"),
    ) ??
    firstOf(Object.entries(texts), ([name, most]) => {
      const value = body[name];
      return value == null || (typeof value === "string" && value.length <= most)
        ? null
        : invalidType(name, `a string of at most ${most} characters`);
    }) ??
    (tier == null || tiers.includes(String(tier)) ? null : invalidValue(tier, tiers, "service_tier")) ??
    (truncation == null || truncation === "disabled" ? null : invalidValue(truncation, ["disabled"], "truncation")) ??
    (include == null || Array.isArray(include) ? null : invalidType("include", "an array")) ??
    firstOf(listOf(include), (one, at) =>
      includable.includes(String(one)) ? null : invalidValue(one, includable, `include[${at}]`),
    ) ??
    (isMetadata(metadata) ? null : invalidType("metadata", "at most 16 short strings"))
  );
}

function isMetadata(metadata: unknown): boolean {
  if (metadata == null) return true;
  if (!isRecord(metadata) || Object.keys(metadata).length > 16) return false;
  return Object.entries(metadata).every(
    ([key, value]) => key.length <= 64 && typeof value === "string" && value.length <= 512,
  );
}

function maxTokens({ body, model }: RuleInput): Found | null {
  const { max_output_tokens: asked } = body;
  const param = "max_output_tokens";
  if (asked == null) return null;
  if (typeof asked !== "number" || !Number.isInteger(asked)) return invalidType(param, "an integer");
  if (asked < outputTokensMin) {
    return {
      message: `Invalid '${param}': integer below minimum value. Expected a value >= ${outputTokensMin}, but got ${asked} instead.`,
      code: "integer_below_min_value",
      param,
    };
  }
  return asked <= model.outputTokensMax
    ? null
    : {
        message: `Invalid '${param}': integer above maximum value. Expected a value <= ${model.outputTokensMax}, but got ${asked} instead.`,
        code: "integer_above_max_value",
        param,
      };
}

/** Newer models cannot stop reasoning: they take no effort `none`. */
function badReasoning(reasoning: unknown, efforts: readonly string[]): Found | null {
  if (reasoning == null) return null;
  const allowed: Readonly<Record<string, readonly string[]>> = {
    effort: efforts,
    summary: ["auto", "concise", "detailed"],
    generate_summary: ["auto", "concise", "detailed"],
    context: ["auto", "current_turn", "all_turns"],
    mode: ["standard", "pro"],
  };
  return (
    unknownMember(reasoning, "reasoning", Object.keys(allowed)) ??
    firstOf(Object.entries(allowed), ([name, values]) => {
      const value = recordOf(reasoning)[name];
      if (value == null || values.includes(String(value))) return null;
      return { ...invalidValue(value, values, `reasoning.${name}`), code: "unsupported_value" };
    })
  );
}

function badText(text: unknown): Found | null {
  if (text == null) return null;
  const { format, verbosity } = recordOf(text);
  const values = ["low", "medium", "high"];
  if (verbosity != null && !values.includes(String(verbosity)))
    return invalidValue(verbosity, values, "text.verbosity");
  return unknownMember(text, "text", ["format", "verbosity"]) ?? badFormat(format, "text.format");
}
