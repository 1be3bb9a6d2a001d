import { itemsAt, type JsonNode, JsonSpanError, memberOf, rawText, scanJson } from "../kernel/json-spans.ts";

export type Found = { readonly type: "found"; readonly text: string } | { readonly type: "none"; readonly why: string };

/**
 * The part of a JSON text at a simple path (`$.a[0].b`, `.a.b`, `a["odd key"]`), as it was written: numbers are not read
 * and printed again, which could change them.
 */
export function valueAtPath(text: string, path: string): Found {
  const steps = stepsOf(path);
  if (steps === null)
    return { type: "none", why: `jsonPath: expected keys and indexes like $.items[0].name, got ${path.slice(0, 80)}.` };
  const bytes = new TextEncoder().encode(text);
  const root = scanned(bytes);
  if (typeof root === "string")
    return { type: "none", why: `it is not JSON (${root}); recall lines or search instead.` };
  let node = root;
  let walked = "$";
  for (const step of steps) {
    const next = typeof step === "number" ? itemsAt(node).at(step) : memberOf(node, step);
    if (next === undefined)
      return { type: "none", why: `${walked} has no ${JSON.stringify(step)}; it ${contentOf(bytes, node)}.` };
    node = next;
    walked += typeof step === "number" ? `[${step}]` : `.${step}`;
  }
  return { type: "found", text: rawText(bytes, node.span) };
}

function scanned(bytes: Uint8Array): JsonNode | string {
  try {
    return scanJson(bytes);
  } catch (error) {
    if (error instanceof JsonSpanError) return error.message;
    throw error;
  }
}

const stepPattern = /\.?([^.[\]"'\s]+)|\[(-?\d+)\]|\[(?:"([^"]*)"|'([^']*)')\]/y;

function stepsOf(path: string): readonly (string | number)[] | null {
  const steps: (string | number)[] = [];
  const rest = path.trim().replace(/^\$/, "");
  for (stepPattern.lastIndex = 0; stepPattern.lastIndex < rest.length; ) {
    const found = stepPattern.exec(rest);
    if (found === null) return null;
    steps.push(found[2] === undefined ? (found[1] ?? found[3] ?? found[4] ?? "") : Number(found[2]));
  }
  return steps;
}

function contentOf(bytes: Uint8Array, node: JsonNode): string {
  if (node.type === "array") return `is an array of ${node.items.length}`;
  if (node.type !== "object") return `is ${node.type === "string" ? "a string" : rawText(bytes, node.span)}`;
  const keys = node.members.slice(0, 20).map((member) => member.key.slice(0, 60));
  return `has the keys ${keys.join(", ")}${node.members.length > keys.length ? ", …" : ""}`;
}
