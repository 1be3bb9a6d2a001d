import { isRecord } from "../../kernel/canonical.ts";
import { imageTypeOf } from "./image.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, messagesOf, recordOf, textOf } from "./value.ts";

type Block = Readonly<Record<string, unknown>>;
type Placed = { readonly block: Block; readonly role: string; readonly path: string };

const base64Max = 5 * 1024 * 1024;
const named = /^[a-zA-Z0-9_-]+$/;

/** What each role may say, and the members each block may have; others are not ours to invent. */
const userFields: Readonly<Record<string, string>> = {
  text: "text citations",
  image: "source",
  document: "source title context citations",
  search_result: "source title content citations",
  tool_result: "tool_use_id content is_error",
  container_upload: "file_id",
  tool_addition: "tool_name tool",
  tool_removal: "tool_name",
  compaction: "content signature encrypted_content tool_changes",
};
const assistantFields: Readonly<Record<string, string>> = {
  text: "text citations",
  thinking: "thinking signature",
  redacted_thinking: "data",
  tool_use: "id name input caller",
  server_tool_use: "id name input caller",
  compaction: "content signature encrypted_content tool_changes",
};
const everyField = ["type", "cache_control"];

/** The inside of content blocks. What the assistant side carries as the simulator itself sent it is always accepted back. */
export const anthropicBlockRules: readonly Rule[] = [
  {
    id: "block-type",
    paragraph: "A.12",
    check: (input) =>
      firstOf(foreign(input), ({ block, role, path }) => {
        const type = textOf(block.type);
        const isKnown = type in fieldsFor(role) || (role === "assistant" && type.endsWith("_tool_result"));
        return isKnown
          ? null
          : `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags for role ${role}`;
      }),
  },
  {
    id: "block-field",
    paragraph: "A.12",
    check: (input) =>
      firstOf(foreign(input), ({ block, role, path }) => {
        const fields = fieldsFor(role)[textOf(block.type)]?.split(" ");
        const extra = Object.keys(block).find(
          (name) => fields !== undefined && !fields.includes(name) && !everyField.includes(name),
        );
        return extra === undefined ? null : `${path}.${textOf(block.type)}.${extra}: Extra inputs are not permitted`;
      }),
  },
  {
    id: "text-empty",
    paragraph: "A.12",
    check: (input) =>
      firstOf(foreign(input), ({ block, path }) => {
        if (block.type === "tool_result" && Array.isArray(block.content))
          return emptyInside(block.content.map(recordOf));
        if (block.type !== "text") return null;
        if (typeof block.text !== "string") return `${path}.text.text: Field required`;
        if (block.text === "") return "messages: text content blocks must be non-empty";
        return block.text.trim() === "" ? "messages: text content blocks must contain non-whitespace text" : null;
      }),
  },
  {
    id: "tool-use",
    paragraph: "A.12",
    check: (input) =>
      firstOf(foreign(input), ({ block, path }) => {
        if (block.type !== "tool_use") return null;
        if (!named.test(textOf(block.id))) return `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
        if (!named.test(textOf(block.name)) || textOf(block.name).length > 200)
          return `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
        return isRecord(block.input) ? null : `${path}.tool_use.input: Input should be a valid dictionary`;
      }),
  },
  { id: "tool-result", paragraph: "A.12", check: badResult },
  { id: "image", paragraph: "A.12", check: (input) => firstOf(imagesOf(input), badImage) },
];

function fieldsFor(role: string): Readonly<Record<string, string>> {
  return role === "assistant" ? assistantFields : userFields;
}

/** All blocks but those the assistant got from us exactly so. */
function foreign({ body, memory }: RuleInput): readonly Placed[] {
  return messagesOf(body).flatMap((message, at) =>
    blocksOf(message.content).flatMap((block, index) => {
      const role = textOf(message.role);
      return role === "assistant" && memory.sent(block)
        ? []
        : [{ block, role, path: `messages.${at}.content.${index}` }];
    }),
  );
}

function emptyInside(blocks: readonly Block[]): string | null {
  return blocks.some((block) => block.type === "text" && textOf(block.text) === "")
    ? "messages: text content blocks must be non-empty"
    : null;
}

const resultTypes = new Set(["text", "image", "document", "search_result", "tool_reference"]);

function badResult(input: RuleInput): Found | null {
  return firstOf(foreign(input), ({ block, path }) => {
    if (block.type !== "tool_result") return null;
    const { content, is_error } = block;
    if (is_error !== undefined && typeof is_error !== "boolean")
      return `${path}.tool_result.is_error: Input should be a valid boolean`;
    if (content === undefined || typeof content === "string") return null;
    if (!Array.isArray(content)) return `${path}.tool_result.content: Input should be a valid string or list`;
    const bad = content.findIndex((inner) => !resultTypes.has(textOf(recordOf(inner).type)));
    return bad === -1 ? null : `${path}.tool_result.content.${bad}: Input tag does not match any of the expected tags`;
  });
}

function imagesOf(input: RuleInput): readonly Placed[] {
  return foreign(input).flatMap(({ block, role, path }) => {
    const inside = block.type === "tool_result" ? blocksOf(block.content) : [];
    return [block, ...inside].filter((one) => one.type === "image").map((one) => ({ block: one, role, path }));
  });
}

function badImage({ block, path }: Placed): string | null {
  const { type, media_type, data } = recordOf(block.source);
  if (type === "url" || type === "file") return null;
  if (type !== "base64") return `${path}.image.source.type: Input should be 'base64', 'url' or 'file'`;
  if (textOf(data).length > base64Max) return `${path}.image.source.base64: image exceeds 5 MB maximum`;
  const found = imageTypeOf(textOf(data));
  if (found === null) return `${path}.image.source.base64.data: Could not process image`;
  return found === media_type
    ? null
    : `${path}.image.source.base64: The image was specified using the ${String(media_type)} media type, but it appears to be ${found}`;
}
