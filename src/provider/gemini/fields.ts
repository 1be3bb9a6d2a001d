import { type JsonNode, memberOf } from "../../kernel/json-spans.ts";

/** A member under either of the two spellings that the service takes: `functionCall` and `function_call`. */
export function field(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return memberOf(node, name) ?? memberOf(node, snake(name));
}

/** The same in a value that was parsed. */
export function valueAt(raw: Readonly<Record<string, unknown>>, name: string): unknown {
  return raw[name] ?? raw[snake(name)];
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
