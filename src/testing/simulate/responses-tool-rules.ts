import { isRecord } from "../../kernel/canonical.ts";
import { invalidType, invalidValue, missingParameter, notPlayed, notSupported } from "./responses-found.ts";
import { unknownMember } from "./responses-request-rules.ts";
import { type DeclaredTool, declaredTools, toolListsOf } from "./responses-tools.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { inputItemsOf, listOf, recordOf, textOf } from "./value.ts";

type Tool = Readonly<Record<string, unknown>>;
type Placed = { readonly tool: Tool; readonly path: string };

const named = /^[a-zA-Z0-9_-]{1,64}$/;
const callableFields = "type name description defer_loading allowed_callers async".split(" ");
/** What each kind of tool may say. `web_search` may be declared, as codex does; the simulated model never calls it. */
const fields: Readonly<Record<string, readonly string[] | null>> = {
  function: [...callableFields, "parameters", "strict", "output_schema"],
  custom: [...callableFields, "format"],
  namespace: ["type", "name", "description", "tools"],
  tool_search: ["type", "execution", "description", "parameters"],
  local_shell: ["type"],
  web_search: null,
};
const hosted = (
  "file_search computer computer_use_preview mcp code_interpreter programmatic_tool_calling image_generation shell apply_patch " +
  "web_search_preview"
).split(" ");

/** Tools, at the top of a request or added by an item (PROTOCOLS B.3, B.5). */
export const responsesToolRules: readonly Rule[] = [
  {
    id: "tools-list",
    paragraph: "B.5",
    check: ({ body }) => (body.tools == null || Array.isArray(body.tools) ? null : invalidType("tools", "an array")),
  },
  {
    id: "tool-played",
    paragraph: "B.5",
    check: ({ body }) =>
      firstOf(allTools(body), ({ tool, path }) =>
        hosted.includes(textOf(tool.type)) || (tool.type === "tool_search" && tool.execution !== "client")
          ? notPlayed(`${path}.type: ${textOf(tool.type)}`)
          : null,
      ),
  },
  { id: "tool", paragraph: "B.5", check: ({ body }) => firstOf(allTools(body), badTool) },
  {
    id: "tool-strict",
    paragraph: "B.5",
    check: ({ body }) =>
      firstOf(allTools(body), ({ tool, path }) => {
        if (tool.type !== "function" || tool.strict !== true) return null;
        const why = looseIn(tool.parameters, []);
        return why === null
          ? null
          : {
              message: `Invalid schema for function '${textOf(tool.name)}': ${why}`,
              code: "invalid_function_parameters",
              param: `${path}.parameters`,
            };
      }),
  },
  {
    id: "tool-unique",
    paragraph: "B.5",
    check: ({ body }) => {
      const seen = new Set<string>();
      // Two searches may find the same tool.
      const declared = declaredTools({ ...body, input: inputItemsOf(body).filter(isNoSearch) });
      return firstOf(declared, ({ namespace, name, path }) => {
        const key = `${namespace ?? ""} ${name}`;
        if (seen.has(key)) return { message: `Duplicate tool name '${name}'.`, param: `${path}.name` };
        seen.add(key);
        return null;
      });
    },
  },
  { id: "tool-same", paragraph: "B.5", check: ({ body }) => differing(declaredTools(body)) },
  {
    id: "tool-search-model",
    paragraph: "B.5",
    check: ({ body, model }) =>
      firstOf(allTools(body), ({ tool, path }) =>
        tool.type === "tool_search" && !model.responses.searches
          ? notSupported(`${path}.type: tool_search`, model.id)
          : null,
      ),
  },
  {
    id: "tool-deferred",
    paragraph: "B.5",
    check: ({ body }) => {
      const isSearchable = allTools(body).some(({ tool }) => tool.type === "tool_search");
      const deferred = declaredTools(body).find(({ tool }) => tool.defer_loading === true);
      return deferred === undefined || isSearchable
        ? null
        : { message: "'defer_loading' needs a tool of type 'tool_search'.", param: `${deferred.path}.defer_loading` };
    },
  },
  { id: "tool-choice", paragraph: "B.3", check: badChoice },
];

function isNoSearch(item: Tool): boolean {
  return item.type !== "tool_search_output";
}

/** A name stands for one definition, however often it is found. */
function differing(tools: readonly DeclaredTool[]): Found | null {
  const known = new Map<string, string>();
  return firstOf(tools, ({ namespace, name, tool, path }) => {
    const { type, description, parameters, format } = tool;
    const definition = JSON.stringify([type, description, parameters, format]);
    const key = `${namespace ?? ""} ${name}`;
    if ((known.get(key) ?? definition) !== definition)
      return { message: `Tool '${name}' has two definitions.`, param: path };
    known.set(key, definition);
    return null;
  });
}

/** With those inside namespaces. */
function allTools(body: Tool): readonly Placed[] {
  return toolListsOf(body).flatMap(({ tools, path }) =>
    tools.flatMap((tool, at) => {
      const inside = tool.type === "namespace" ? listOf(tool.tools).map(recordOf) : [];
      const own = `${path}[${at}]`;
      return [{ tool, path: own }, ...inside.map((one, place) => ({ tool: one, path: `${own}.tools[${place}]` }))];
    }),
  );
}

function badTool({ tool, path }: Placed): Found | null {
  const type = textOf(tool.type);
  const allowed = Object.hasOwn(fields, type) ? fields[type] : undefined;
  if (allowed === undefined) return invalidValue(tool.type, Object.keys(fields), `${path}.type`);
  const extra = allowed === null ? null : unknownMember(tool, path, allowed);
  if (extra !== null) return extra;
  const isNamed = type === "function" || type === "custom" || type === "namespace";
  if (isNamed && textOf(tool.name) === "") return missingParameter(`${path}.name`);
  if (isNamed && !named.test(textOf(tool.name))) {
    return {
      message: `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      code: "invalid_value",
      param: `${path}.name`,
    };
  }
  if (type === "function") return badFunction(tool, path);
  if (type === "custom") return badGrammar(tool.format, `${path}.format`);
  return type === "namespace" ? badNamespace(tool, path) : null;
}

function badFunction({ parameters, strict, name }: Tool, path: string): Found | null {
  if (strict != null && typeof strict !== "boolean") return invalidType(`${path}.strict`, "a boolean");
  if (parameters === undefined) return missingParameter(`${path}.parameters`);
  if (parameters === null || recordOf(parameters).type === "object") return null;
  return {
    message: `Invalid schema for function '${textOf(name)}': schema must be a JSON Schema of 'type: "object"'.`,
    code: "invalid_function_parameters",
    param: `${path}.parameters`,
  };
}

function badGrammar(format: unknown, path: string): Found | null {
  if (format == null || recordOf(format).type === "text") return null;
  const { type, syntax, definition } = recordOf(format);
  if (type !== "grammar") return invalidValue(type, ["text", "grammar"], `${path}.type`);
  if (syntax !== "lark" && syntax !== "regex") return invalidValue(syntax, ["lark", "regex"], `${path}.syntax`);
  return textOf(definition) === "" ? missingParameter(`${path}.definition`) : null;
}

function badNamespace({ description, tools }: Tool, path: string): Found | null {
  if (typeof description !== "string") return missingParameter(`${path}.description`);
  if (!Array.isArray(tools) || tools.length === 0) return missingParameter(`${path}.tools`);
  return firstOf(tools.map(recordOf), ({ type }, at) =>
    type === "function" || type === "custom"
      ? null
      : invalidValue(type, ["function", "custom"], `${path}.tools[${at}].type`),
  );
}

/** Why a schema is not strict, at any depth: closed objects with all members required. */
function looseIn(schema: unknown, path: readonly string[]): string | null {
  if (!isRecord(schema)) return null;
  const where = `In context=(${path.map((name) => `'${name}'`).join(", ")})`;
  const properties = recordOf(schema.properties);
  const isObject = schema.type === "object" || isRecord(schema.properties);
  if (isObject && schema.additionalProperties !== false)
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  const open = Object.keys(properties).find((name) => !listOf(schema.required).includes(name));
  if (open !== undefined)
    return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${open}'.`;
  const inside = [
    ...Object.entries(properties).map(([name, value]) => [value, ["properties", name]] as const),
    ...Object.entries(recordOf(schema.$defs)).map(([name, value]) => [value, ["$defs", name]] as const),
    ...listOf(schema.anyOf).map((value, at) => [value, ["anyOf", String(at)]] as const),
    [schema.items, ["items"]] as const,
  ];
  for (const [value, step] of inside) {
    const why = looseIn(value, [...path, ...step]);
    if (why !== null) return why;
  }
  return null;
}

const choices = ["none", "auto", "required"];

function badChoice({ body }: RuleInput): Found | null {
  const { tool_choice: choice } = body;
  if (choice == null) return null;
  const tools = declaredTools(body);
  if (typeof choice === "string") {
    if (!choices.includes(choice)) return invalidValue(choice, choices, "tool_choice");
    const message = "Tool choice 'required' must be specified with 'tools' parameter.";
    return choice === "required" && tools.length === 0 ? { message, param: "tool_choice" } : null;
  }
  const { type, mode, tools: allowed } = recordOf(choice);
  if (type !== "allowed_tools") return badNamed(recordOf(choice), tools, "tool_choice");
  if (mode !== "auto" && mode !== "required") return invalidValue(mode, ["auto", "required"], "tool_choice.mode");
  if (!Array.isArray(allowed) || allowed.length === 0) return missingParameter("tool_choice.tools");
  return firstOf(allowed.map(recordOf), (one, at) => badNamed(one, tools, `tool_choice.tools[${at}]`));
}

function badNamed({ type, name }: Tool, tools: ReturnType<typeof declaredTools>, path: string): Found | null {
  if (type !== "function" && type !== "custom") return invalidValue(type, ["function", "custom"], `${path}.type`);
  return tools.some((tool) => tool.type === type && tool.name === name)
    ? null
    : { message: `Tool choice '${String(name)}' not found in 'tools' parameter.`, param: path };
}
