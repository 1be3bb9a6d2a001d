import { imageTypeOf } from "./image.ts";
import { invalidType, invalidValue, missingParameter, unknownParameter } from "./responses-found.ts";
import { foreignItems, type PlacedItem } from "./responses-item-rules.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;
type Placed = { readonly part: Part; readonly path: string };

const inputParts = ["input_text", "input_image", "input_file"];
const roles: Readonly<Record<string, readonly string[]>> = {
  user: inputParts,
  system: inputParts,
  developer: inputParts,
  assistant: ["output_text", "refusal"],
};
const fields: Readonly<Record<string, string>> = {
  input_text: "text prompt_cache_breakpoint",
  input_image: "image_url file_id detail prompt_cache_breakpoint",
  input_file: "file_id filename file_data file_url detail prompt_cache_breakpoint",
  output_text: "text annotations logprobs",
  refusal: "refusal",
};

/** What messages and results of tools say. */
export const responsesContentRules: readonly Rule[] = [
  {
    id: "role",
    paragraph: "B.6",
    check: (input) =>
      firstOf(foreignItems(input), ({ item, type, path }) =>
        type !== "message" || Object.hasOwn(roles, textOf(item.role))
          ? null
          : invalidValue(item.role, Object.keys(roles), `${path}.role`),
      ),
  },
  { id: "content", paragraph: "B.6", check: (input) => firstOf(foreignItems(input), badContent) },
  { id: "content-part", paragraph: "B.6", check: (input) => firstOf(partsOf(input), badPart) },
  {
    id: "image",
    paragraph: "B.6",
    check: (input) =>
      firstOf(partsOf(input), ({ part, path }) => {
        if (part.type !== "input_image" || part.file_id != null || isSoundImage(textOf(part.image_url))) return null;
        return {
          message: "The image data you provided does not represent a valid image.",
          code: "invalid_image",
          param: `${path}.image_url`,
        };
      }),
  },
];

/** All content parts of messages and results, those that came from us excepted. */
export function partsOf(input: RuleInput): readonly Placed[] {
  return foreignItems(input).flatMap((placed) => {
    const { name, value } = contentOf(placed);
    return listOf(value).map((part, at) => ({ part: recordOf(part), path: `${placed.path}.${name}[${at}]` }));
  });
}

function contentOf({ item, type }: PlacedItem): { readonly name: string; readonly value: unknown } {
  if (type === "message") return { name: "content", value: item.content };
  const holdsOutput = type === "function_call_output" || type === "custom_tool_call_output";
  return { name: "output", value: holdsOutput ? item.output : undefined };
}

function badContent(placed: PlacedItem): Found | null {
  const { name, value } = contentOf(placed);
  const path = `${placed.path}.${name}`;
  if (value === undefined) return null;
  const mayBeEmpty = name === "output" || placed.item.role === "assistant";
  if (typeof value === "string")
    return value !== "" || mayBeEmpty ? null : { message: `Invalid '${path}': text must be non-empty.`, param: path };
  if (!Array.isArray(value)) return invalidType(path, "a string or an array of content parts");
  if (value.length === 0) return { message: `Invalid '${path}': empty array.`, code: "empty_array", param: path };
  const allowed = name === "output" ? inputParts : (roles[textOf(placed.item.role)] ?? []);
  return firstOf(value.map(recordOf), ({ type }, at) =>
    allowed.includes(textOf(type)) ? null : invalidValue(type, allowed, `${path}[${at}].type`),
  );
}

function badPart({ part, path }: Placed): Found | null {
  const type = textOf(part.type);
  const extra = Object.keys(part).find((name) => name !== "type" && !fields[type]?.split(" ").includes(name));
  if (extra !== undefined) return unknownParameter(`${path}.${extra}`);
  const member = type === "refusal" ? "refusal" : "text";
  const holdsText = type === "refusal" || type === "input_text" || type === "output_text";
  return holdsText && typeof part[member] !== "string" ? missingParameter(`${path}.${member}`) : null;
}

function isSoundImage(url: string): boolean {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data === null) return /^https?:\/\//.test(url);
  return imageTypeOf(data[2] ?? "") === data[1];
}
