import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import {
  invalidType,
  invalidValue,
  missingParameter,
  notPlayed,
  notSupported,
  unknownParameter,
} from "./responses-found.ts";
import { badFormat, unknownMember } from "./responses-request-rules.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { inputItemsOf, recordOf, textOf } from "./value.ts";

type Item = Readonly<Record<string, unknown>>;
export type PlacedItem = { readonly item: Item; readonly type: string; readonly path: string };

/** What each kind of item must and may have; `null` may stand for what it may have. */
const shapes: Readonly<Record<string, { readonly must: string; readonly may: string }>> = {
  message: { must: "role content", may: "id status phase" },
  reasoning: { must: "id summary", may: "content encrypted_content status" },
  function_call: { must: "call_id name arguments", may: "id status namespace caller async" },
  function_call_output: { must: "call_id output", may: "id status name namespace caller" },
  custom_tool_call: { must: "call_id name input", may: "id status namespace caller async" },
  custom_tool_call_output: { must: "call_id output", may: "id status name namespace caller" },
  local_shell_call: { must: "call_id action status", may: "id" },
  local_shell_call_output: { must: "output", may: "id call_id status" },
  tool_search_call: { must: "arguments", may: "id call_id execution status" },
  tool_search_output: { must: "tools", may: "id call_id execution status" },
  additional_tools: { must: "role tools", may: "id" },
  configuration_update: { must: "", may: "id reasoning text" },
  compaction: { must: "encrypted_content", may: "id created_by" },
  compaction_trigger: { must: "", may: "id" },
};
const unplayed = (
  "item_reference file_search_call computer_call computer_call_output web_search_call " +
  "image_generation_call code_interpreter_call shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools " +
  "mcp_approval_request mcp_approval_response mcp_call program program_output"
).split(" ");
const idStarts: Readonly<Record<string, string>> = { reasoning: "rs_", function_call: "fc_", custom_tool_call: "ctc_" };
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The items of the input. What the simulator itself sent is always accepted back as it was. */
export const responsesItemRules: readonly Rule[] = [
  {
    id: "input",
    paragraph: "B.6",
    check: ({ body: { input } }) => {
      if (input === undefined || input === null) return missingParameter("input");
      if (typeof input === "string") return input === "" ? missingParameter("input") : null;
      if (!Array.isArray(input)) return invalidType("input", "a string or an array of items");
      const bad = input.findIndex((item) => !isRecord(item));
      if (bad !== -1) return invalidType(`input[${bad}]`, "an object");
      return input.length > 0
        ? null
        : { message: "Invalid 'input': empty array.", code: "empty_array", param: "input" };
    },
  },
  {
    id: "item-played",
    paragraph: "B.4",
    check: (input) =>
      firstOf(foreignItems(input), ({ type, path }) =>
        unplayed.includes(type) ? notPlayed(`${path}: ${type}`) : null,
      ),
  },
  {
    id: "item-type",
    paragraph: "B.6",
    check: (input) =>
      firstOf(foreignItems(input), ({ type, path }) =>
        Object.hasOwn(shapes, type) ? null : invalidValue(type, Object.keys(shapes), `${path}.type`),
      ),
  },
  { id: "item-field", paragraph: "B.6", check: (input) => firstOf(foreignItems(input), badShape) },
  {
    id: "item-call",
    paragraph: "B.6",
    check: (input) =>
      firstOf(foreignItems(input), (placed) => (placed.type.endsWith("_call") ? badCall(placed) : null)),
  },
  {
    // Seen on the gpt-6 family only (STACK 5), so older models do not know them here.
    id: "item-update",
    paragraph: "B.3",
    check: (input) =>
      firstOf(foreignItems(input), (placed) => {
        const isUpdate = placed.type === "configuration_update" || placed.type === "additional_tools";
        if (!isUpdate) return null;
        if (!input.model.responses.updates) return notSupported(`${placed.path}: ${placed.type}`, input.model.id);
        return placed.type === "additional_tools" ? badAdded(placed) : badUpdate(placed, input.model.efforts);
      }),
  },
];

/** All items but those that came from us exactly so; many rules ask for them. */
export function foreignItems(input: RuleInput): readonly PlacedItem[] {
  const found = known.get(input) ?? readForeign(input);
  known.set(input, found);
  return found;
}

const known = new WeakMap<RuleInput, readonly PlacedItem[]>();

function readForeign({ body, memory }: RuleInput): readonly PlacedItem[] {
  return inputItemsOf(body).flatMap((item, at) =>
    memory.sent(item)
      ? []
      : [{ item, type: item.type === undefined ? "message" : textOf(item.type), path: `input[${at}]` }],
  );
}

function badShape({ item, type, path }: PlacedItem): Found | null {
  const must = shapes[type]?.must.split(" ").filter((name) => name !== "") ?? [];
  const may = shapes[type]?.may.split(" ") ?? [];
  const missing = must.find((name) => item[name] == null);
  if (missing !== undefined) return missingParameter(`${path}.${missing}`);
  const extra = Object.keys(item).find((name) => name !== "type" && !must.includes(name) && !may.includes(name));
  if (extra !== undefined) return unknownParameter(`${path}.${extra}`);
  const start = idStarts[type];
  if (start === undefined || item.id == null || textOf(item.id).startsWith(start)) return null;
  return {
    message: `Invalid '${path}.id': '${String(item.id)}'. Expected an ID that begins with '${start.slice(0, -1)}'.`,
    code: "invalid_value",
    param: `${path}.id`,
  };
}

function badCall({ item, type, path }: PlacedItem): Found | null {
  if (type === "tool_search_call" || type === "local_shell_call") return null;
  if (!/^.{1,64}$/.test(textOf(item.call_id))) return invalidType(`${path}.call_id`, "a string of 1 to 64 characters");
  if (!functionName.test(textOf(item.name))) {
    return {
      message: `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      code: "invalid_value",
      param: `${path}.name`,
    };
  }
  if (type === "custom_tool_call")
    return typeof item.input === "string" ? null : invalidType(`${path}.input`, "a string");
  if (typeof item.arguments !== "string") return invalidType(`${path}.arguments`, "a string");
  const parsed = parseJson(item.arguments);
  return parsed.type === "ok" && isRecord(parsed.value)
    ? null
    : invalidType(`${path}.arguments`, "a string that is a JSON object");
}

function badAdded({ item, path }: PlacedItem): Found | null {
  if (item.role !== "developer") return invalidValue(item.role, ["developer"], `${path}.role`);
  return Array.isArray(item.tools) && item.tools.length > 0 ? null : missingParameter(`${path}.tools`);
}

/** Only the effort and the text format may change. */
function badUpdate({ item, path }: PlacedItem, efforts: readonly string[]): Found | null {
  const { reasoning, text } = item;
  if (reasoning == null && text == null) return missingParameter(`${path}.reasoning`);
  if (reasoning != null) {
    const extra = unknownMember(reasoning, `${path}.reasoning`, ["effort"]);
    const effort = recordOf(reasoning).effort;
    if (extra !== null) return extra;
    if (!efforts.includes(String(effort))) return invalidValue(effort, efforts, `${path}.reasoning.effort`);
  }
  if (text == null) return null;
  if (recordOf(text).format == null) return missingParameter(`${path}.text.format`);
  return unknownMember(text, `${path}.text`, ["format"]) ?? badFormat(recordOf(text).format, `${path}.text.format`);
}
