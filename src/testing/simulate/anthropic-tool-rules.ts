import { isRecord } from "../../kernel/canonical.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const deferredMax = 10_000;
const toolFields = new Set(
  "type name description input_schema cache_control defer_loading strict eager_input_streaming allowed_callers input_examples".split(
    " ",
  ),
);

/** Declarations of tools. Tools of the provider's own types have other fields and pass unread. */
export const anthropicToolRules: readonly Rule[] = [
  {
    id: "tools-list",
    paragraph: "A.12",
    check: ({ body }) =>
      body.tools === undefined || (Array.isArray(body.tools) && body.tools.every(isRecord))
        ? null
        : { message: "tools: Input should be a valid list" },
  },
  {
    id: "tool-name",
    paragraph: "A.12",
    check: (input) =>
      firstOf(ownTools(input), ({ tool, path }) =>
        toolName.test(textOf(tool.name)) ? null : `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`,
      ),
  },
  { id: "tool-unique", paragraph: "A.12", check: repeatedName },
  {
    id: "tool-schema",
    paragraph: "A.12",
    check: (input) =>
      firstOf(ownTools(input), ({ tool, path }) => {
        if (tool.input_schema === undefined) return `${path}.input_schema: Field required`;
        return recordOf(tool.input_schema).type === "object"
          ? null
          : `${path}.input_schema.type: Input should be 'object'`;
      }),
  },
  {
    id: "tool-field",
    paragraph: "A.12",
    check: (input) =>
      firstOf(ownTools(input), ({ tool, path }) => {
        if (tool.description !== undefined && typeof tool.description !== "string")
          return `${path}.description: Input should be a valid string`;
        const extra = Object.keys(tool).find((name) => !toolFields.has(name));
        return extra === undefined ? null : `${path}.${extra}: Extra inputs are not permitted`;
      }),
  },
  {
    id: "tool-deferred",
    paragraph: "A.7",
    check: ({ body }) => {
      const tools = listOf(body.tools).map(recordOf);
      const deferred = tools.filter((tool) => tool.defer_loading === true).length;
      if (tools.length > 0 && deferred === tools.length)
        return { message: "tools: at least one tool must not be deferred" };
      return deferred > deferredMax ? { message: `tools: at most ${deferredMax} tools may be deferred` } : null;
    },
  },
  { id: "tool-reference", paragraph: "A.7", check: unresolvedReference },
];

function ownTools({
  body,
}: RuleInput): readonly { readonly tool: Readonly<Record<string, unknown>>; readonly path: string }[] {
  const tools = listOf(body.tools).map((tool, index) => ({ tool: recordOf(tool), path: `tools.${index}.custom` }));
  return tools.filter(({ tool }) => tool.type === undefined || tool.type === "custom");
}

function repeatedName({ body }: RuleInput): Found | null {
  const seen = new Set<unknown>();
  return firstOf(listOf(body.tools).map(recordOf), ({ name }) => {
    if (seen.has(name)) return "tools: Tool names must be unique.";
    seen.add(name);
    return null;
  });
}

function unresolvedReference({ body }: RuleInput): Found | null {
  const names = new Set(listOf(body.tools).map((tool) => recordOf(tool).name));
  const blocks = messagesOf(body).flatMap((message) => blocksOf(message.content));
  const references = blocks
    .flatMap((block) => blocksOf(block.content))
    .filter((inner) => inner.type === "tool_reference");
  return firstOf(references, ({ tool_name }) =>
    names.has(tool_name)
      ? null
      : {
          message: `Tool reference '${String(tool_name)}' not found in available tools`,
          code: "tool_reference_unresolved",
        },
  );
}
