import {
  compactText,
  itemsAt,
  type JsonNode,
  memberOf,
  rawText,
  stringAt,
  stringMember,
} from "../../kernel/json-spans.ts";
import { own } from "../../kernel/own.ts";
import type { Segment, SegmentKind } from "../../prompt/segment.ts";
import { type Body, blocksOf, bodyOf, messagesOf } from "../body.ts";
import { type Draft, draftOf, numbered, textAt, textBlockJson } from "../draft.ts";
import { roleOfMessage } from "../role.ts";
import { unmarked } from "../unmarked.ts";

/** Cuts a Messages request, ours or a foreign one, into what the service renders. Throws `BodyError`. */
export function cutAnthropic(bytes: Uint8Array): readonly Segment[] {
  const body = bodyOf(bytes);
  const tools = itemsAt(memberOf(body.root, "tools"));
  const deferred = tools.filter((tool) => memberOf(tool, "defer_loading")?.type === "true");
  return numbered([
    ...tools.filter((tool) => !deferred.includes(tool)).map((tool) => cutTool(bytes, tool)),
    ...blocksOf(memberOf(body.root, "system")).map((node) => cutSystem(bytes, node)),
    ...revealed(
      body,
      messagesOf(body).flatMap((message) => cutMessage(bytes, message)),
      deferred,
    ),
  ]);
}

export function cutTool(bytes: Uint8Array, node: JsonNode, role: "tools" | "user" = "tools"): Draft {
  const json = unmarked(bytes, node);
  return draftOf({
    kind: "tool",
    role,
    span: node.span,
    json,
    text: json,
    tool: stringMember(bytes, node, "name"),
  });
}

/** One block of the top-level `system`. */
export function cutSystem(bytes: Uint8Array, node: JsonNode): Draft {
  const literal = node.type === "string" ? node : memberOf(node, "text");
  if (literal?.type !== "string") return cutBlock(bytes, node, "system");
  const json = node.type === "string" ? textBlockJson(rawText(bytes, node.span)) : unmarked(bytes, node);
  return draftOf({ kind: "system", role: "system", span: node.span, json, ...textAt(bytes, [literal]) });
}

/** One block of a message; a string literal is the shorthand of one text block. */
export function cutBlock(bytes: Uint8Array, node: JsonNode, role: Segment["role"], extras = ""): Draft {
  const base = { role, span: node.span };
  if (node.type === "string") {
    const json = textBlockJson(rawText(bytes, node.span)) + extras;
    return draftOf({ ...base, kind: "text", json, ...textAt(bytes, [node]) });
  }
  const kind = own(kinds, stringMember(bytes, node, "type") ?? "") ?? "other";
  const json = unmarked(bytes, node) + extras;
  return draftOf({ ...base, kind, json, ...(details[kind]?.(bytes, node) ?? {}) });
}

/**
 * A deferred tool is rendered where a `tool_reference` first names it, not at the front (PROTOCOLS A.7), so it stands
 * behind the block that refers to it, on that block's side: the list before it stays a prefix.
 */
function revealed({ bytes }: Body, drafts: readonly Cut[], deferred: readonly JsonNode[]): readonly Draft[] {
  const hidden = new Map(deferred.map((tool) => [stringMember(bytes, tool, "name") ?? "", tool]));
  return drafts.flatMap(({ draft, node }) => {
    const names = hidden.size === 0 || draft.kind === "tool-call" ? [] : referencesIn(bytes, node);
    const tools = names.flatMap((name) => {
      const tool = hidden.get(name);
      hidden.delete(name);
      return tool === undefined ? [] : [cutTool(bytes, tool, "user")];
    });
    return [draft, ...tools];
  });
}

type Cut = { readonly draft: Draft; readonly node: JsonNode };

function cutMessage(bytes: Uint8Array, message: JsonNode): readonly Cut[] {
  const role = roleOfMessage(bytes, message);
  const extras = message.type === "object" ? extrasOf(bytes, message) : "";
  return blocksOf(memberOf(message, "content")).map((node, index) => ({
    draft: cutBlock(bytes, node, role, index === 0 ? extras : ""),
    node,
  }));
}

/** Members of a message besides role and content (`clear_at`, effort ...): the model may see them, so they are hashed. */
function extrasOf(bytes: Uint8Array, message: JsonNode & { readonly type: "object" }): string {
  const others = message.members.filter(({ key }) => key !== "role" && key !== "content");
  return others.map(({ key, value }) => `\n${key}:${compactText(bytes, value)}`).join("");
}

const kinds: Readonly<Record<string, SegmentKind>> = {
  text: "text",
  thinking: "reasoning",
  redacted_thinking: "reasoning",
  tool_use: "tool-call",
  tool_result: "tool-result",
  image: "image",
  document: "document",
};

type Details = Pick<Draft, "text" | "textSpans"> & {
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
};

const details: Readonly<Partial<Record<SegmentKind, (bytes: Uint8Array, node: JsonNode) => Details>>> = {
  text: (bytes, node) => textAt(bytes, stringsOf([memberOf(node, "text")])),
  "tool-call": (bytes, node) => {
    const input = memberOf(node, "input");
    return {
      text: input === undefined ? "" : compactText(bytes, input),
      textSpans: [],
      callId: stringMember(bytes, node, "id"),
      tool: stringMember(bytes, node, "name"),
    };
  },
  "tool-result": (bytes, node) => ({
    ...textAt(bytes, resultTexts(bytes, node)),
    callId: stringMember(bytes, node, "tool_use_id"),
  }),
  // A summary that the service made (PROTOCOLS A.5): what can be read of it, and its signature keeps anybody from changing it.
  other: (bytes, node) => ({
    text: stringMember(bytes, node, "type") === "compaction" ? (stringMember(bytes, node, "content") ?? null) : null,
    textSpans: [],
  }),
};

function resultTexts(bytes: Uint8Array, node: JsonNode): readonly JsonNode[] {
  const content = memberOf(node, "content");
  if (content?.type === "string") return [content];
  const texts = itemsAt(content).filter((item) => stringMember(bytes, item, "type") === "text");
  return stringsOf(texts.map((item) => memberOf(item, "text")));
}

function stringsOf(nodes: readonly (JsonNode | undefined)[]): readonly JsonNode[] {
  return nodes.filter((node) => node?.type === "string").filter((node) => node !== undefined);
}

function referencesIn(bytes: Uint8Array, node: JsonNode): readonly string[] {
  if (node.type === "array") return node.items.flatMap((item) => referencesIn(bytes, item));
  if (node.type !== "object") return [];
  if (stringMember(bytes, node, "type") === "tool_reference") {
    const name = memberOf(node, "tool_name");
    return name?.type === "string" ? [stringAt(bytes, name.span)] : [];
  }
  return node.members.flatMap(({ value }) => referencesIn(bytes, value));
}
