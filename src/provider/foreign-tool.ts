import { compactText, type JsonNode, memberOf, stringMember } from "../kernel/json-spans.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";

/** A tool of a foreign request; the wires differ only in the name of the schema's member. */
export function foreignTool(
  bytes: Uint8Array,
  tool: JsonNode,
  schemaKey: "input_schema" | "parameters",
): ToolDeclaration {
  const schema = memberOf(tool, schemaKey);
  return {
    name: stringMember(bytes, tool, "name") ?? "",
    description: stringMember(bytes, tool, "description") ?? "",
    inputSchema: schema === undefined ? "{}" : compactText(bytes, schema),
  };
}
