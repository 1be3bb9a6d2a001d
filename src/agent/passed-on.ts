import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Piece } from "../log/block.ts";
import { callToolName } from "./call-tool.ts";

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
