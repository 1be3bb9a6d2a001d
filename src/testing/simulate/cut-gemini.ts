import { hiddenTokens, piece, withoutMembers } from "./piece.ts";
import type { SimKind, SimSegment } from "./segment.ts";
import { itemsOf, member, readTree, stringOf, type Tree, writeTree } from "./tree.ts";

/** Tools, then the system instruction, then the contents; settings of the generation are no part of the prompt (PROTOCOLS C.1). */
export function cutGemini(bodyText: string): readonly SimSegment[] {
  const body = readTree(bodyText);
  const system = itemsOf(member(member(body, "systemInstruction"), "parts"));
  return [
    ...toolSegments(itemsOf(member(body, "tools"))),
    ...system.map((part, index) =>
      piece({
        kind: "system",
        role: "system",
        tree: part,
        path: `system.${index}`,
        text: stringOf(member(part, "text")) ?? "",
        hidden: index === 0 ? hiddenTokens.message : 0,
      }),
    ),
    ...itemsOf(member(body, "contents")).flatMap(contentSegments),
  ];
}

/** One for each declared function, and one for each tool of the service's own. */
function toolSegments(tools: readonly Tree[]): readonly SimSegment[] {
  const rendered = tools.flatMap((tool, index) => {
    const declared = itemsOf(member(tool, "functionDeclarations"));
    const own = withoutMembers(tool, ["functionDeclarations"]);
    const rest = own.type === "object" && own.members.length > 0 ? [own] : [];
    return [...declared, ...rest].map((tree, place) => ({ tree, path: `tools.${index}.${place}` }));
  });
  return rendered.map(({ tree, path }, index) => {
    const hidden = hiddenTokens.tool + (index === 0 ? hiddenTokens.firstTool : 0);
    return piece({ kind: "tool", role: "tools", tree, path, text: writeTree(tree), hidden });
  });
}

function contentSegments(content: Tree, index: number): readonly SimSegment[] {
  const role = stringOf(member(content, "role")) === "model" ? "assistant" : "user";
  return itemsOf(member(content, "parts")).map((tree, place) => {
    const kind = kindOf(tree);
    return piece({
      kind,
      role,
      tree,
      path: `contents.${index}.${place}`,
      text: textFor(tree, kind),
      hidden: (place === 0 ? hiddenTokens.message : 0) + (kind === "image" ? hiddenTokens.image : 0),
    });
  });
}

function kindOf(part: Tree): SimKind {
  if (member(part, "functionCall") !== undefined) return "call";
  if (member(part, "functionResponse") !== undefined) return "result";
  if (member(part, "inlineData") !== undefined || member(part, "fileData") !== undefined) return "image";
  if (member(part, "text") === undefined) return "other";
  return isThought(part) ? "reasoning" : "text";
}

function isThought(part: Tree): boolean {
  const thought = member(part, "thought");
  return thought?.type === "literal" && thought.raw === "true";
}

/** A signature is no text: what it stands for is not counted here. */
function textFor(part: Tree, kind: SimKind): string {
  if (kind === "image") return "";
  if (kind === "text" || kind === "reasoning") return stringOf(member(part, "text")) ?? "";
  const call = member(part, "functionCall");
  const args = member(call, "args");
  if (call !== undefined)
    return `${stringOf(member(call, "name")) ?? ""}${args === undefined ? "{}" : writeTree(args)}`;
  const response = member(part, "functionResponse");
  return response === undefined ? writeTree(part) : resultText(response);
}

function resultText(response: Tree): string {
  const given = member(response, "response");
  const name = stringOf(member(response, "name")) ?? "";
  return `${name}${given === undefined ? "" : writeTree(given)}`;
}
