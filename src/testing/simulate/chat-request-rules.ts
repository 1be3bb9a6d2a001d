import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

const known = new Set(
  (
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities " +
    "n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort " +
    "response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user " +
    "verbosity web_search_options"
  ).split(" "),
);
/** Members that services other than the first one understand. */
const compatible = new Set(
  "thinking reasoning enable_thinking chat_template_kwargs cache_prompt id_slot top_k min_p repeat_penalty".split(" "),
);
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;
const toolsMax = 128;

/** The envelope of a Chat Completions request. */
export const chatRequestRules: readonly Rule[] = [
  {
    id: "unknown-field",
    paragraph: "B.1",
    check: ({ body, model }) =>
      firstOf(Object.keys(body), (name) => {
        const isKnown = known.has(name) || (model.chat.usage !== "cached-tokens" && compatible.has(name));
        return isKnown ? null : { message: `Unknown parameter: '${name}'.`, code: "unknown_parameter", param: name };
      }),
  },
  {
    id: "model",
    paragraph: "B.1",
    check: ({ body, model }) => {
      if (typeof body.model !== "string") return { message: "you must provide a model parameter" };
      if (model.id === body.model) return null;
      return {
        status: 404,
        message: `The model \`${body.model}\` does not exist or you do not have access to it.`,
        code: "model_not_found",
      };
    },
  },
  { id: "max-tokens", paragraph: "B.1", check: maxTokens },
  {
    id: "sampling",
    paragraph: "B.1",
    check: ({ body, model }) => {
      if (model.sampling) return null;
      const usual: Readonly<Record<string, number>> = {
        temperature: 1,
        top_p: 1,
        presence_penalty: 0,
        frequency_penalty: 0,
      };
      return firstOf(Object.entries(usual), ([name, value]) =>
        body[name] == null || body[name] === value
          ? null
          : {
              message: `Unsupported value: '${name}' does not support ${String(body[name])} with this model.`,
              code: "unsupported_value",
              param: name,
            },
      );
    },
  },
  {
    id: "stream-options",
    paragraph: "B.6",
    check: ({ body }) =>
      body.stream_options != null && body.stream !== true
        ? {
            message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            param: "stream_options",
          }
        : null,
  },
  {
    id: "field-types",
    paragraph: "B.1",
    check: ({ body }) => {
      if (body.stream != null && typeof body.stream !== "boolean")
        return { message: "Invalid type for 'stream': expected a boolean.", param: "stream" };
      if (body.n != null && body.n !== 1)
        return { message: "this simulator plays one choice only: 'n' must be 1", param: "n" };
      const key = body.prompt_cache_key;
      return key == null || (typeof key === "string" && key.length <= 64)
        ? null
        : {
            message: "Invalid 'prompt_cache_key': expected a string of at most 64 characters.",
            param: "prompt_cache_key",
          };
    },
  },
  { id: "tools", paragraph: "B.1", check: badTool },
  {
    id: "tools-count",
    paragraph: "B.1",
    check: ({ body, model }) =>
      model.chat.usage === "cached-tokens" && listOf(body.tools).length > toolsMax
        ? {
            message: `Invalid 'tools': array too long. Expected an array with maximum length ${toolsMax}.`,
            code: "array_above_max_length",
            param: "tools",
          }
        : null,
  },
  {
    id: "tool-choice",
    paragraph: "B.1",
    check: ({ body }) => {
      const needs = ["tool_choice", "parallel_tool_calls"].find((name) => body[name] != null);
      if (needs === undefined || listOf(body.tools).length > 0) return null;
      return {
        message: `Invalid value for '${needs}': '${needs}' is only allowed when 'tools' are specified.`,
        param: needs,
      };
    },
  },
  {
    id: "tools-with-effort",
    paragraph: "B.1",
    check: ({ body, model }) => {
      const { reasoning_effort: effort } = body;
      // Models that cannot do without reasoning take no tools here at all.
      const isWithout = model.efforts.includes("none") && (effort == null || effort === "none");
      if (model.sampling || isWithout || listOf(body.tools).length === 0) return null;
      return {
        message:
          "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead.",
        param: "reasoning_effort",
      };
    },
  },
];

function maxTokens({ body, model }: RuleInput): Found | null {
  if (!model.sampling && body.max_tokens != null) {
    return {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: "unsupported_parameter",
      param: "max_tokens",
    };
  }
  return firstOf(["max_tokens", "max_completion_tokens"], (name) => {
    const asked = body[name];
    if (asked == null) return null;
    if (typeof asked !== "number" || !Number.isInteger(asked) || asked < 1)
      return {
        message: `Invalid '${name}': integer below minimum value.`,
        code: "integer_below_min_value",
        param: name,
      };
    return asked <= model.outputTokensMax
      ? null
      : {
          message: `${name} is too large: ${asked}. This model supports at most ${model.outputTokensMax} completion tokens.`,
          code: "invalid_value",
          param: name,
        };
  });
}

function badTool({ body }: RuleInput): Found | null {
  if (body.tools === undefined) return null;
  if (!Array.isArray(body.tools) || body.tools.length === 0)
    return {
      message: "Invalid 'tools': empty array. Expected an array with minimum length 1.",
      code: "empty_array",
      param: "tools",
    };
  const names = body.tools.map((tool) => textOf(recordOf(recordOf(tool).function).name));
  return firstOf(body.tools.map(recordOf), (tool, at) => {
    const { name, parameters } = recordOf(tool.function);
    const param = `tools[${at}].function`;
    if (tool.type !== "function")
      return {
        message: `Invalid value: '${String(tool.type)}'. Supported values are: 'function'.`,
        param: `tools[${at}].type`,
      };
    if (!functionName.test(textOf(name)))
      return {
        message: `Invalid '${param}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`,
        param: `${param}.name`,
      };
    if (names.indexOf(textOf(name)) !== at)
      return { message: `Invalid '${param}.name': function names must be unique.`, param: `${param}.name` };
    if (parameters === undefined || recordOf(parameters).type === "object") return null;
    return {
      message: `Invalid schema for function '${textOf(name)}': schema must be a JSON Schema of 'type: "object"'.`,
      code: "invalid_function_parameters",
      param: `${param}.parameters`,
    };
  });
}
