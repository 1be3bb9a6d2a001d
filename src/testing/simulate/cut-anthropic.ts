import { hashOf } from "../../kernel/hash.ts";
import { bindingPrefix } from "./binding.ts";
import { openSummary, resumed } from "./compaction-seal.ts";
import { hiddenTokens, piece, textBlock, withoutMembers } from "./piece.ts";
import type { SimKind, SimRole, SimSegment } from "./segment.ts";
import { itemsOf, member, readTree, stringOf, type Tree, writeTree } from "./tree.ts";

/**
 * Tools (deferred ones stand where they are referenced), system blocks, content blocks (PROTOCOLS A.2, A.7). What stands before
 * the newest compaction is not rendered, and one without content is nothing (A.5).
 */
export function cutAnthropic(bodyText: string): readonly SimSegment[] {
  const body = readTree(bodyText);
  const tools = itemsOf(member(body, "tools"));
  const shown = tools.map((tool, index) => ({ tool, index })).filter(({ tool }) => !isDeferred(tool));
  const declared = new Map(tools.map((tool) => [stringOf(member(tool, "name")) ?? "", writeTree(bare(tool))]));
  const segments = [
    ...shown.map(({ tool, index }, place) => toolSegment(tool, index, place)),
    ...blocksOf(member(body, "system")).map((block, index) =>
      blockSegment(block, "system", `system.${index}`, 0, declared),
    ),
    ...messageSegments(itemsOf(member(body, "messages")), declared),
  ];
  return withResumed(segments, itemsOf(member(body, "messages")));
}

/** Kept turns go on behind a compaction that was asked for, if the head is as it was and the roles alternate (A.5). */
function withResumed(segments: readonly SimSegment[], messages: readonly Tree[]): readonly SimSegment[] {
  const at = segments.findIndex(({ kind }) => kind === "summary");
  const [, message, , block] = segments[at]?.path.split(".") ?? [];
  const found = blocksOf(member(messages[Number(message)], "content"))[Number(block)];
  const sealed = openSummary(stringOf(member(found, "signature")));
  if (sealed === null || !sealed.isBound || sealed.head !== bindingPrefix(segments.slice(0, at))) return segments;
  const next = segments[at + 1]?.role;
  return next === sealed.lastRole || next === "system" ? segments : resumed(segments, at, sealed.prefix);
}

function toolSegment(tool: Tree, index: number, place: number): SimSegment {
  const rendered = bare(tool);
  const hidden = hiddenTokens.tool + (place === 0 ? hiddenTokens.firstTool : 0);
  const text = writeTree(rendered);
  return piece({
    kind: "tool",
    role: "tools",
    tree: rendered,
    path: `tools.${index}`,
    text,
    hidden,
    mark: markOf(tool),
  });
}

function messageSegments(messages: readonly Tree[], declared: ReadonlyMap<string, string>): readonly SimSegment[] {
  const segments: SimSegment[] = [];
  let before: SimRole | undefined;
  const from = newestSummary(messages);
  for (const [index, message] of messages.entries()) {
    const role = roleOf(message);
    for (const [place, block] of blocksOf(member(message, "content")).entries()) {
      const isPast = index < from.message || (index === from.message && place < from.block);
      if (isPast || (isCompaction(block) && !holdsSummary(block))) continue;
      // Neighbours of one role are one message to the model (A.12), so only a change of role costs; and not on
      // reasoning, which may be dropped without its message.
      const counts = role !== before && kinds[stringOf(member(block, "type")) ?? ""] !== "reasoning";
      const hidden = counts ? hiddenTokens.message : 0;
      if (counts) before = role;
      segments.push(blockSegment(block, role, `messages.${index}.content.${place}`, hidden, declared));
    }
  }
  return segments;
}

function newestSummary(messages: readonly Tree[]): { readonly message: number; readonly block: number } {
  const message = messages.findLastIndex((one) => blocksOf(member(one, "content")).some(holdsSummary));
  const block = blocksOf(member(messages[message], "content")).findLastIndex(holdsSummary);
  return { message, block };
}

function isCompaction(block: Tree): boolean {
  return stringOf(member(block, "type")) === "compaction";
}

function holdsSummary(block: Tree): boolean {
  return isCompaction(block) && stringOf(member(block, "content")) !== undefined;
}

function roleOf(message: Tree): SimRole {
  const role = stringOf(member(message, "role"));
  return role === "assistant" || role === "system" ? role : "user";
}

function blocksOf(content: Tree | undefined): readonly Tree[] {
  return content?.type === "string" ? [textBlock(content.value)] : itemsOf(content);
}

const kinds: Readonly<Record<string, SimKind>> = {
  text: "text",
  tool_use: "call",
  tool_result: "result",
  thinking: "reasoning",
  redacted_thinking: "reasoning",
  image: "image",
  compaction: "summary",
};

function blockSegment(
  block: Tree,
  role: SimRole,
  path: string,
  messageTokens: number,
  declared: ReadonlyMap<string, string>,
): SimSegment {
  const type = stringOf(member(block, "type")) ?? "";
  const kind = role === "system" && path.startsWith("system") ? "system" : (kinds[type] ?? "other");
  const rendered = bareBlock(block, declared);
  const images = countImages(block);
  const hidden = messageTokens + images * hiddenTokens.image;
  const made = piece({ kind, role, tree: rendered, path, text: readable(rendered, kind), hidden, mark: markOf(block) });
  const unexpanded = writeTree(bareBlock(block, new Map()));
  return unexpanded === writeTree(rendered) ? made : { ...made, bare: hashOf(unexpanded) };
}

/** What the model reads; base64 and signatures are not text. */
function readable(block: Tree, kind: SimKind): string {
  if (kind === "image") return "";
  if (kind === "reasoning") return stringOf(member(block, "thinking")) ?? stringOf(member(block, "data")) ?? "";
  if (kind === "call")
    return `${stringOf(member(block, "name")) ?? ""}${writeTree(member(block, "input") ?? emptyObject)}`;
  if (kind === "summary") return stringOf(member(block, "content")) ?? "";
  if (kind === "result") return resultText(member(block, "content"));
  const text = stringOf(member(block, "text"));
  return text ?? writeTree(block);
}

const emptyObject: Tree = { type: "object", members: [] };

function resultText(content: Tree | undefined): string {
  const parts = blocksOf(content).filter((part) => stringOf(member(part, "type")) !== "image");
  return parts.map((part) => stringOf(member(part, "text")) ?? writeTree(part)).join("\n");
}

function countImages(block: Tree): number {
  const inside = blocksOf(member(block, "content"));
  return [block, ...inside].filter((part) => stringOf(member(part, "type")) === "image").length;
}

/** Without markers; a reference to a deferred tool reads as that tool's definition, expanded in place (A.7). */
function bareBlock(block: Tree, declared: ReadonlyMap<string, string>): Tree {
  const outer = bare(block);
  if (outer.type !== "object" || stringOf(member(outer, "type")) !== "tool_result") return outer;
  const content = member(outer, "content");
  if (content?.type !== "list") return outer;
  const items = content.items.map((item) => expanded(bare(item), declared));
  return {
    type: "object",
    members: outer.members.map(
      ([name, value]) => [name, name === "content" ? { type: "list", items } : value] as const,
    ),
  };
}

function expanded(item: Tree, declared: ReadonlyMap<string, string>): Tree {
  const definition = declared.get(stringOf(member(item, "tool_name")) ?? "");
  if (stringOf(member(item, "type")) !== "tool_reference" || definition === undefined) return item;
  return textBlock(definition);
}

function bare(tree: Tree): Tree {
  return withoutMembers(tree, ["cache_control", "defer_loading"]);
}

function isDeferred(tool: Tree): boolean {
  const deferred = member(tool, "defer_loading");
  return deferred?.type === "literal" && deferred.raw === "true";
}

function markOf(block: Tree): "5m" | "1h" | null {
  const inside = stringOf(member(block, "type")) === "tool_result" ? itemsOf(member(block, "content")) : [];
  const marked = [block, ...inside]
    .map((part) => member(part, "cache_control"))
    .find((mark) => mark?.type === "object");
  if (marked === undefined) return null;
  return stringOf(member(marked, "ttl")) === "1h" ? "1h" : "5m";
}
