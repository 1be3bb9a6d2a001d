import { hashOf } from "../../kernel/hash.ts";
import type { SimKind, SimRole, SimSegment } from "./segment.ts";
import { countTokens } from "./tokens.ts";
import { type Tree, writeTree } from "./tree.ts";

/** Tokens no client can see in its request; they prove that a client learns from reported usage (DESIGN 8). */
export const hiddenTokens = { request: 9, message: 4, tool: 23, firstTool: 310, image: 1_500 } as const;

/** Makes a segment: hash over what is rendered, tokens by the simulator's own count plus `hidden`. */
export function piece(from: {
  readonly kind: SimKind;
  readonly role: SimRole;
  readonly tree: Tree;
  readonly path: string;
  readonly text: string;
  readonly hidden: number;
  readonly mark?: "5m" | "1h" | null;
}): SimSegment {
  const { kind, role, tree, path, text, hidden, mark = null } = from;
  const hash = hashOf(`${role}\n${kind}\n${writeTree(tree)}`);
  return { kind, role, hash, tokens: countTokens(text) + hidden, path, text, mark };
}

export function textBlock(text: string): Tree {
  return {
    type: "object",
    members: [
      ["type", { type: "string", value: "text" }],
      ["text", { type: "string", value: text }],
    ],
  };
}

export function withoutMembers(tree: Tree, names: readonly string[]): Tree {
  if (tree.type !== "object") return tree;
  return { type: "object", members: tree.members.filter(([name]) => !names.includes(name)) };
}
