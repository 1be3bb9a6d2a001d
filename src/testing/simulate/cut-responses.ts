import { bindingPrefix } from "./binding.ts";
import { openSummary, resumed } from "./compaction-seal.ts";
import { simModels } from "./models.ts";
import { hiddenTokens, piece, textBlock, withoutMembers } from "./piece.ts";
import { decryptReasoning } from "./responses-reasoning.ts";
import { isTurnScoped, type SimKind, type SimMark, type SimRole, type SimSegment } from "./segment.ts";
import { itemsOf, member, readTree, stringOf, type Tree, writeTree } from "./tree.ts";

/**
 * Tools stand first, then the input in order; tools that an item adds stand where the item does. Top-level instructions
 * come before the input, or, on newer models, behind it and for this request only (PROTOCOLS B.2, B.3).
 */
export function cutResponses(bodyText: string): readonly SimSegment[] {
  const body = readTree(bodyText);
  const ttl = markOf(stringOf(member(member(body, "prompt_cache_options"), "ttl")));
  const items = inputOf(member(body, "input"));
  const head = headLength(items);
  const newest = items.findLastIndex((item) => typeOf(item) === "compaction");
  const segments = items.flatMap((item, index) =>
    isRendered(item, index, newest)
      ? itemSegments(item, { base: `${index < head ? "system" : "input"}.${index}`, inHead: index < head, ttl })
      : [],
  );
  const instructions = instructionsOf(body);
  const tools = itemsOf(member(body, "tools")).filter((tool) => !isDeferred(tool));
  const sealed = openSummary(stringOf(member(items[newest], "encrypted_content")));
  const rendered = [
    ...tools.map((tool, index) => toolSegment(tool, `tools.${index}`, index === 0)),
    ...instructions.filter((segment) => !isTurnScoped(segment)),
    ...segments,
    ...instructions.filter(isTurnScoped),
  ];
  // Its own compaction keeps later reasoning valid, whether what stood before it is still sent or not (B.3, B.4).
  return sealed !== null && sealed.head === bindingPrefix(rendered.slice(0, tools.length))
    ? resumed(
        rendered,
        rendered.findLastIndex(({ kind }) => kind === "summary"),
        sealed.prefix,
      )
    : rendered;
}

/** Before the newest compaction only messages of the user and of the developer still count; a trigger says nothing (B.4). */
function isRendered(item: Tree, index: number, newest: number): boolean {
  if (typeOf(item) === "compaction_trigger") return false;
  return (
    index >= newest ||
    typeOf(item) === "additional_tools" ||
    (typeOf(item) === "message" && roleOf(item) !== "assistant")
  );
}

type Place = { readonly base: string; readonly inHead: boolean; readonly ttl: SimMark };
type Part = { readonly kind: SimKind; readonly tree: Tree; readonly text: string; readonly mark?: SimMark | null };

function inputOf(input: Tree | undefined): readonly Tree[] {
  if (input?.type !== "string") return itemsOf(input);
  const members = [
    ["role", { type: "string", value: "user" }],
    ["content", input],
  ] as const;
  return [{ type: "object", members }];
}

/** Leading instructions and tools are the system part; later ones belong to the conversation. */
function headLength(items: readonly Tree[]): number {
  const end = items.findIndex((item) => typeOf(item) !== "additional_tools" && roleOf(item) !== "system");
  return end === -1 ? items.length : end;
}

function typeOf(item: Tree): string {
  return stringOf(member(item, "type")) ?? "message";
}

function roleOf(item: Tree): SimRole {
  const role = typeOf(item) === "message" ? stringOf(member(item, "role")) : "";
  if (role === "system" || role === "developer") return "system";
  return role === "assistant" ? "assistant" : "user";
}

function instructionsOf(body: Tree): readonly SimSegment[] {
  const text = stringOf(member(body, "instructions"));
  if (text === undefined || text === "") return [];
  const id = stringOf(member(body, "model"));
  const model = simModels.find((row) => row.wire === "responses" && row.id === id);
  const path = model?.responses.instructions === "last" ? "instructions" : "system.instructions";
  const tree = textBlock(text);
  return [piece({ kind: "system", role: "system", tree, path, text, hidden: hiddenTokens.message })];
}

function toolSegment(tool: Tree, path: string, isFirst: boolean): SimSegment {
  const hidden = hiddenTokens.tool + (isFirst ? hiddenTokens.firstTool : 0);
  return piece({ kind: "tool", role: "tools", tree: tool, path, text: writeTree(tool), hidden });
}

function itemSegments(item: Tree, place: Place): readonly SimSegment[] {
  const type = typeOf(item);
  if (type === "additional_tools") {
    const tools = itemsOf(member(item, "tools")).filter((tool) => !isDeferred(tool));
    return tools.map((tool, index) => toolSegment(tool, `${place.base}.${index}`, false));
  }
  const { role, parts } = (Object.hasOwn(readers, type) ? readers[type] : undefined)?.(item, place) ?? otherItem(item);
  return parts.map(({ kind, tree, text, mark = null }, index) =>
    piece({
      kind,
      role,
      tree,
      text,
      mark,
      path: `${place.base}.${index}`,
      hidden: (index === 0 ? hiddenTokens.message : 0) + (kind === "image" ? hiddenTokens.image : 0),
    }),
  );
}

type Read = { readonly role: SimRole; readonly parts: readonly Part[] };

const readers: Readonly<Record<string, (item: Tree, place: Place) => Read>> = {
  message: (item, place) => ({
    role: roleOf(item),
    parts: contentOf(member(item, "content"), place).map((part) => phased(part, item, place)),
  }),
  function_call: callItem("call_id", "namespace", "name", "arguments"),
  custom_tool_call: callItem("call_id", "namespace", "name", "input"),
  tool_search_call: callItem("call_id", "execution", "arguments"),
  local_shell_call: callItem("call_id", "action"),
  function_call_output: resultItem,
  custom_tool_call_output: resultItem,
  local_shell_call_output: resultItem,
  tool_search_output: (item) => ({ role: "user", parts: [resultOf(item, picked(item, ["call_id", "tools"]))] }),
  reasoning: (item) => {
    const encrypted = stringOf(member(item, "encrypted_content")) ?? "";
    const text = decryptReasoning(encrypted)?.text ?? "";
    return { role: "assistant", parts: [{ kind: "reasoning", tree: { type: "string", value: encrypted }, text }] };
  },
  compaction: (item) => {
    const encrypted = stringOf(member(item, "encrypted_content")) ?? "";
    const text = openSummary(encrypted)?.text ?? "";
    return { role: "assistant", parts: [{ kind: "summary", tree: { type: "string", value: encrypted }, text }] };
  },
  configuration_update: (item) => {
    const tree = picked(item, ["reasoning", "text"]);
    return { role: "system", parts: [{ kind: "other", tree, text: writeTree(tree) }] };
  },
};

/** Ids and states of items are the service's own book-keeping and not rendered. */
function otherItem(item: Tree): Read {
  const tree = withoutMembers(item, ["id", "status"]);
  return { role: "assistant", parts: [{ kind: "other", tree, text: writeTree(tree) }] };
}

function callItem(...names: readonly string[]): (item: Tree) => Read {
  return (item) => {
    const tree = picked(item, names);
    const shown = tree.members.filter(([name]) => name !== "call_id");
    const text = shown.map(([, value]) => stringOf(value) ?? writeTree(value)).join("");
    return { role: "assistant", parts: [{ kind: "call", tree, text }] };
  };
}

/** The id is rendered with the first part; string and list forms of one text are the same prompt. */
function resultItem(item: Tree, place: Place): Read {
  const parts = contentOf(member(item, "output"), { ...place, inHead: false });
  const shown = parts.length === 0 ? [{ kind: "text" as const, tree: textBlock(""), text: "" }] : parts;
  return {
    role: "user",
    parts: shown.map((part, index) => (index === 0 ? { ...resultOf(item, part.tree), ...rest(part) } : part)),
  };
}

function rest(part: Part): Pick<Part, "text" | "mark"> {
  return { text: part.text, mark: part.mark ?? null };
}

function resultOf(item: Tree, tree: Tree): Part {
  const id: Tree = { type: "string", value: stringOf(member(item, "call_id")) ?? "" };
  return { kind: "result", tree: { type: "list", items: [id, tree] }, text: writeTree(tree) };
}

function contentOf(content: Tree | undefined, place: Place): readonly Part[] {
  const textKind = place.inHead ? "system" : "text";
  if (content?.type === "string")
    return content.value === "" ? [] : [{ kind: textKind, tree: textBlock(content.value), text: content.value }];
  return itemsOf(content).map((part): Part => {
    const breakpoint = member(part, "prompt_cache_breakpoint");
    const asked = stringOf(member(breakpoint, "ttl"));
    const mark = breakpoint?.type !== "object" ? null : asked === undefined ? place.ttl : markOf(asked);
    const text = stringOf(member(part, "text"));
    if (text !== undefined) return { kind: textKind, tree: textBlock(text), text, mark };
    const tree = withoutMembers(part, ["prompt_cache_breakpoint"]);
    if (stringOf(member(part, "type")) === "input_image") return { kind: "image", tree, text: "", mark };
    return { kind: "other", tree, text: writeTree(tree), mark };
  });
}

/** The phase of an assistant's message is rendered with it. */
function phased(part: Part, item: Tree, place: Place): Part {
  const phase = member(item, "phase");
  if (place.inHead || phase?.type !== "string") return part;
  return { ...part, tree: { type: "list", items: [phase, part.tree] } };
}

/** These members in this order, whatever order they came in. */
function picked(tree: Tree, names: readonly string[]): Extract<Tree, { type: "object" }> {
  const members = names.flatMap((name) => {
    const value = member(tree, name);
    return value === undefined || (value.type === "literal" && value.raw === "null") ? [] : [[name, value] as const];
  });
  return { type: "object", members };
}

function isDeferred(tool: Tree): boolean {
  const deferred = member(tool, "defer_loading");
  return deferred?.type === "literal" && deferred.raw === "true";
}

function markOf(ttl: string | undefined): SimMark {
  return ttl === "12h" ? "12h" : "30m";
}
