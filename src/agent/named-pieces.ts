import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Piece } from "../log/block.ts";
import type { State } from "../log/state.ts";
import { callToolName } from "./call-tool.ts";

/** By their text, which stands in the prompt as it is. One that another has replaced is called so until it leaves. */
export function attachedIn(
  pieces: readonly Piece[],
  { attached }: State,
): ReadonlyMap<string, { readonly kind: string; readonly name: string }> {
  const inForce = new Map(Object.values(attached).map((one) => [one.piece, one]));
  return new Map(
    pieces.flatMap((piece) => {
      if (piece.role !== "user" || piece.kind !== "attached" || piece.block.type !== "text") return [];
      const { kind, name } = inForce.get(piece.id) ?? { kind: "replaced", name: "an older text, until the next epoch" };
      return typeof piece.block.text === "string" ? [[piece.block.text, { kind, name }] as const] : [];
    }),
  );
}

export function isContext(piece: Piece | undefined): boolean {
  return piece?.role === "user" && piece.kind === "context";
}

/** The tools that calls of CallTool were passed on to, by call: what people know their results by. */
export function passedOn(pieces: readonly Piece[]): ReadonlyMap<string, string> {
  return new Map(
    pieces.flatMap(({ block }) => {
      if (block.type !== "tool-call" || block.tool !== callToolName || typeof block.input !== "string") return [];
      const input = parseJson(block.input);
      const tool = input.type === "ok" && isRecord(input.value) ? input.value.tool : null;
      return typeof tool === "string" && isName.test(tool) ? [[block.callId, tool] as const] : [];
    }),
  );
}

/** Anything may stand there. */
const isName = /^mcp__[\w-]{1,59}$/;
