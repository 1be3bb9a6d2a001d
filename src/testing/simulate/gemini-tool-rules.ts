import { isRecord } from "../../kernel/canonical.ts";
import { badSchema } from "./gemini-schema.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Declaration = Readonly<Record<string, unknown>>;

const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const modes = ["AUTO", "ANY", "NONE", "VALIDATED"];

/** Declarations of functions and what is said about their use. */
export const geminiToolRules: readonly Rule[] = [
  {
    id: "tools",
    paragraph: "C.2",
    check: ({ body }) =>
      firstOf(listOf(body.tools).map(recordOf), (tool, at) => {
        const kinds = Object.keys(tool);
        const { functionDeclarations: declared } = tool;
        if (kinds.length === 0)
          return `GenerateContentRequest.tools[${at}].tool_type: required one_of 'tool_type' must have one initialized field`;
        return declared !== undefined && listOf(declared).length === 0
          ? `GenerateContentRequest.tools[${at}].function_declarations: must not be empty`
          : null;
      }),
  },
  { id: "declaration", paragraph: "C.2", check: (input) => firstOf(declarationsOf(input), badDeclaration) },
  {
    id: "declaration-unique",
    paragraph: "C.2",
    check: (input) => {
      const names = declarationsOf(input).map(({ name }) => textOf(name));
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      return twice === undefined ? null : { message: `Duplicate function declaration found: ${twice}` };
    },
  },
  { id: "tool-config", paragraph: "C.2", check: badToolConfig },
];

function declarationsOf({ body }: Pick<RuleInput, "body">): readonly Declaration[] {
  return listOf(body.tools).flatMap((tool) => listOf(recordOf(tool).functionDeclarations).map(recordOf));
}

function badDeclaration(
  { name, description, parameters, parametersJsonSchema }: Declaration,
  at: number,
): string | null {
  const path = `GenerateContentRequest.tools[0].function_declarations[${at}]`;
  if (!functionName.test(textOf(name)))
    return `${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`;
  if (typeof description !== "string") return `${path}.description: must be a string`;
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    return `${path}: only one of parameters and parameters_json_schema may be set`;
  if (parametersJsonSchema !== undefined)
    return isRecord(parametersJsonSchema) && parametersJsonSchema.type === "object"
      ? null
      : `${path}.parameters_json_schema: schema should be of type object`;
  if (parameters === undefined) return null;
  if (textOf(recordOf(parameters).type).toUpperCase() !== "OBJECT")
    return `${path}.parameters: schema should be of type OBJECT`;
  return badSchema(parameters, `${path}.parameters`);
}

function badToolConfig(input: RuleInput): Found | null {
  const config = recordOf(input.body.toolConfig).functionCallingConfig;
  if (config === undefined) return null;
  const { mode, allowedFunctionNames: allowed } = recordOf(config);
  const declared = declarationsOf(input).map(({ name }) => textOf(name));
  if (declared.length === 0) return { message: "Function calling config is set without function_declarations." };
  if (mode !== undefined && !modes.includes(textOf(mode)))
    return { message: `Invalid value at 'tool_config.function_calling_config.mode', ${JSON.stringify(mode)}` };
  if (allowed === undefined || listOf(allowed).length === 0) return null;
  if (mode !== "ANY" && mode !== "VALIDATED")
    return { message: "Allowed function names can only be set when the function calling mode is ANY or VALIDATED." };
  const strange = listOf(allowed).find((name) => !declared.includes(textOf(name)));
  return strange === undefined
    ? null
    : { message: `allowed_function_names contains ${JSON.stringify(strange)}, which is not a declared function.` };
}
