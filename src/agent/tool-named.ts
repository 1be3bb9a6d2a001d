import { own } from "../kernel/own.ts";
import type { State } from "../log/state.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentConfig } from "./config.ts";
import { goneText } from "./server-gone.ts";

/** A tool by the name that the model calls it by: one that is declared from the start, or a server's. */
export function toolNamed(
  name: string,
  { tools, serverTools }: Pick<AgentConfig, "tools" | "serverTools">,
): Tool | undefined {
  return tools.find(({ declaration }) => declaration.name === name) ?? serverTools?.find(name);
}

/** What a call of a tool that is not there is answered with. */
export function whyNoTool(
  name: string,
  { tools, serverTools }: Pick<AgentConfig, "tools" | "serverTools">,
  { revealed }: Pick<State, "revealed">,
): string {
  const shown = own(revealed, name);
  const why = serverTools?.whyMissing(name, shown);
  if (why != null) return why;
  if (shown !== undefined) return goneText(shown);
  return `There is no tool named "${name}". Tools: ${tools.map(({ declaration }) => declaration.name).join(", ")}.`;
}
