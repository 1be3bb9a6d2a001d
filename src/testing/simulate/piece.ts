import { hashOf } from "../../kernel/hash.ts";
import type { Hash } from "../../kernel/ids.ts";
import type { SimKind, SimMark, SimRole, SimSegment } from "./segment.ts";
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
  readonly mark?: SimMark | null;
}): SimSegment {
  const { kind, role, tree, path, text, hidden, mark = null } = from;
  const hash = hashOf(`${role}\n${kind}\n${writeTree(tree)}`);
  return { kind, role, hash, tokens: countOnce(hash, text) + hidden, path, text, mark };
}

/** Histories are sent again with each request; the same segment has the same text and so the same count. */
const counted = new Map<Hash, number>();
const countedMax = 50_000;

function countOnce(hash: Hash, text: string): number {
  const known = counted.get(hash);
  if (known !== undefined) return known;
  if (counted.size >= countedMax) counted.clear();
  const count = countTokens(text);
  counted.set(hash, count);
  return count;
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
