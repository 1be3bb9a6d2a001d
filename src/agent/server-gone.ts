import type { RevealedTool } from "../log/revealed.ts";

/** Why a tool that was found once cannot be called: its server is named nowhere now. */
export function goneText({ server, tool }: Pick<RevealedTool, "server" | "tool">): string {
  return `The MCP server "${server}" is not configured any more, so its tool "${tool}" is gone.`;
}
