import { scanJson } from "../../kernel/json-spans.ts";
import { madeOnce } from "../../kernel/once.ts";
import { quoted } from "../../prompt/apply.ts";
import { type Draft, withoutSpans } from "../draft.ts";
import { asSystem, cutItem, cutResponsesTool } from "./cut.ts";
import { cutPart } from "./part.ts";

/**
 * What is sent, without breakpoints: a tool, a part of the first developer message, a part of a user message, or a whole
 * item. `joins`: the part stands in the same message as the one before it.
 */
export type Rendered = {
  readonly part: "tool" | "section" | "user" | "item";
  readonly json: string;
  readonly joins: boolean;
};

export function itemOf(json: string): Rendered {
  return { part: "item", json, joins: false };
}

export function textPart(text: string): string {
  return `{"type":"input_text","text":${quoted(text)}}`;
}

const draftsFor = madeOnce<Rendered, readonly Draft[]>();
const encoder = new TextEncoder();

export function draftsOfRendered(rendered: Rendered): readonly Draft[] {
  return draftsFor(rendered, () => draftsOf(rendered).map(withoutSpans));
}

function draftsOf({ part, json }: Rendered): readonly Draft[] {
  const bytes = encoder.encode(json);
  const node = scanJson(bytes);
  if (part === "tool") return [cutResponsesTool(bytes, node)];
  if (part === "section") return [asSystem(bytes, node, cutPart(bytes, node, "system"))];
  return part === "user" ? [cutPart(bytes, node, "user")] : cutItem(bytes, node, false);
}
