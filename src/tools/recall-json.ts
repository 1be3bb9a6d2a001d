import { itemsAt, type JsonNode, JsonSpanError, memberOf, rawText, scanJson } from "../kernel/json-spans.ts";

export type Found = { readonly type: "found"; readonly text: string } | { readonly type: "none"; readonly why: string };

/**
 * The part of a JSON text at a simple path (`$.a[0].b`, `.a.b`, `a["odd key"]`), as it was written: numbers are not read
 * and printed again, which could change them. Of several items (`$.a[10:20]`, `$.a[*].b`) each stands on a line of its own;
 * the line of one that has no such member is empty.
 */
export function valueAtPath(text: string, path: string): Found {
  const steps = stepsOf(path);
  if (steps === null)
    return {
      type: "none",
      why: `jsonPath: expected keys and indexes like $.items[0].name, or a range like $.items[10:20], got ${path.slice(0, 80)}.`,
    };
  const bytes = new TextEncoder().encode(text);
  const root = scanned(bytes);
  if (typeof root === "string")
    return { type: "none", why: `it is not JSON (${root}); recall lines or search instead.` };
  let nodes: readonly (JsonNode | undefined)[] = [root];
  let walked = "$";
  for (const step of steps) {
    const from = nodes;
    nodes = from.flatMap((node) => (node === undefined ? [undefined] : stepped(node, step)));
    if (nodes.every((node) => node === undefined)) {
      const [first] = from.flatMap((node) => node ?? []);
      const has = first === undefined ? "is an empty list" : contentOf(bytes, first);
      return { type: "none", why: `${walked} has no ${stepText(step)}; it ${has}.` };
    }
    walked += typeof step === "string" ? `.${step}` : `[${stepText(step)}]`;
  }
  return { type: "found", text: nodes.map((node) => (node === undefined ? "" : rawText(bytes, node.span))).join("\n") };
}

type Step = string | number | { readonly from: number; readonly to: number | undefined };

function stepped(node: JsonNode, step: Step): readonly (JsonNode | undefined)[] {
  if (typeof step === "string") return [memberOf(node, step)];
  if (typeof step === "number") return [itemsAt(node).at(step)];
  return itemsAt(node).slice(step.from, step.to);
}

function stepText(step: Step): string {
  return typeof step === "object" ? `${step.from}:${step.to ?? ""}` : JSON.stringify(step);
}

function scanned(bytes: Uint8Array): JsonNode | string {
  try {
    return scanJson(bytes);
  } catch (error) {
    if (error instanceof JsonSpanError) return error.message;
    throw error;
  }
}

const stepPattern = /\.?([^.[\]"'\s]+)|\[(-?\d+)\]|\[(?:"([^"]*)"|'([^']*)')\]|\[(?:(-?\d*):(-?\d*)|\*)\]/y;

function stepsOf(path: string): readonly Step[] | null {
  const steps: Step[] = [];
  const rest = path.trim().replace(/^\$/, "");
  for (stepPattern.lastIndex = 0; stepPattern.lastIndex < rest.length; ) {
    const found = stepPattern.exec(rest);
    if (found === null) return null;
    const [all, plain, index, double, single, from = "", to = ""] = found;
    const key = plain ?? double ?? single;
    if (index !== undefined) steps.push(Number(index));
    else if (key !== undefined) steps.push(key);
    else steps.push({ from: all === "[*]" || from === "" ? 0 : Number(from), to: to === "" ? undefined : Number(to) });
  }
  return steps;
}

function contentOf(bytes: Uint8Array, node: JsonNode): string {
  if (node.type === "array") return `is an array of ${node.items.length}`;
  if (node.type !== "object") return `is ${node.type === "string" ? "a string" : rawText(bytes, node.span)}`;
  const keys = node.members.slice(0, 20).map((member) => member.key.slice(0, 60));
  return `has the keys ${keys.join(", ")}${node.members.length > keys.length ? ", …" : ""}`;
}
