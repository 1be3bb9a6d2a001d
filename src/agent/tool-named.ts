import type { Tool } from "../tools/tool.ts";
import type { AgentConfig } from "./config.ts";

/** A tool by the name that the model calls it by: one that is declared from the start, or a server's. */
export function toolNamed(
  name: string,
  { tools, serverTools }: Pick<AgentConfig, "tools" | "serverTools">,
): Tool | undefined {
  return tools.find(({ declaration }) => declaration.name === name) ?? serverTools?.find(name);
}
