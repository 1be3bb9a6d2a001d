import { hiddenTokens, piece, textBlock } from "./piece.ts";
import type { SimKind, SimRole, SimSegment } from "./segment.ts";
import { itemsOf, member, readTree, stringOf, type Tree, writeTree } from "./tree.ts";

/** Tools stand first in the rendered prompt; then the messages in order: reasoning, text, calls (PROTOCOLS B.2, D). */
export function cutChat(bodyText: string): readonly SimSegment[] {
  const body = readTree(bodyText);
  const tools = itemsOf(member(body, "tools"));
  const messages = itemsOf(member(body, "messages"));
  const head = leadingSystem(messages);
  return [
    ...tools.map((tool, index) => toolSegment(tool, index)),
    ...messages.flatMap((message, index) => messageSegments(message, index, index < head)),
  ];
}

/** The system messages at the start are the system part; later ones belong to the conversation. */
function leadingSystem(messages: readonly Tree[]): number {
  const end = messages.findIndex((message) => !isSystem(message));
  return end === -1 ? messages.length : end;
}

function isSystem(message: Tree): boolean {
  const role = stringOf(member(message, "role"));
  return role === "system" || role === "developer";
}

function toolSegment(tool: Tree, index: number): SimSegment {
  const hidden = hiddenTokens.tool + (index === 0 ? hiddenTokens.firstTool : 0);
  return piece({ kind: "tool", role: "tools", tree: tool, path: `tools.${index}`, text: writeTree(tool), hidden });
}

function messageSegments(message: Tree, index: number, inHead: boolean): readonly SimSegment[] {
  const role = isSystem(message) ? "system" : stringOf(member(message, "role")) === "assistant" ? "assistant" : "user";
  const parts = partsOf(message, role, inHead);
  const base = inHead ? `system.${index}` : `messages.${index}`;
  return parts.map((part, place) =>
    piece({
      kind: part.kind,
      role,
      tree: part.tree,
      path: `${base}.${place}`,
      text: part.text,
      hidden: (place === 0 ? hiddenTokens.message : 0) + (part.kind === "image" ? hiddenTokens.image : 0),
    }),
  );
}

type Part = { readonly kind: SimKind; readonly tree: Tree; readonly text: string };

function partsOf(message: Tree, role: SimRole, inHead: boolean): readonly Part[] {
  const name = stringOf(member(message, "role"));
  if (name === "tool") return [resultPart(message)];
  const reasoning = stringOf(member(message, "reasoning_content"));
  const texts = contentOf(member(message, "content")).map((tree): Part => {
    const kind = stringOf(member(tree, "type")) === "image_url" ? "image" : inHead ? "system" : "text";
    return { kind, tree, text: kind === "image" ? "" : (stringOf(member(tree, "text")) ?? writeTree(tree)) };
  });
  const calls = role === "assistant" ? itemsOf(member(message, "tool_calls")).map(callPart) : [];
  return [
    ...(reasoning === undefined ? [] : [{ kind: "reasoning" as const, tree: textBlock(reasoning), text: reasoning }]),
    ...texts,
    ...calls,
  ];
}

function resultPart(message: Tree): Part {
  const text = contentOf(member(message, "content"))
    .map((tree) => stringOf(member(tree, "text")) ?? writeTree(tree))
    .join("\n");
  // The id is part of what is rendered, and so is the text; string and list forms of one text are the same prompt.
  const id = stringOf(member(message, "tool_call_id")) ?? "";
  return { kind: "result", tree: { type: "list", items: [{ type: "string", value: id }, textBlock(text)] }, text };
}

function callPart(call: Tree): Part {
  const made = member(call, "function");
  const text = `${stringOf(member(made, "name")) ?? ""}${stringOf(member(made, "arguments")) ?? ""}`;
  return { kind: "call", tree: call, text };
}

function contentOf(content: Tree | undefined): readonly Tree[] {
  if (content?.type === "string") return content.value === "" ? [] : [textBlock(content.value)];
  return itemsOf(content);
}
