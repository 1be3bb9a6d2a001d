import { bounds } from "../kernel/bounds.ts";
import { catalogueOf } from "../mcp/catalogue.ts";
import { cutText } from "../mcp/stub.ts";
import type { ServerState, Servers } from "../ports/servers.ts";

/** What `/mcp` says: each server with its state, what it has, and what of it had to be repaired or left out. */
export function serverLines(servers: Servers): string {
  const states = servers.now();
  const { tools, warnings } = catalogueOf(states);
  return states
    .flatMap((state) => {
      const own = tools.filter(({ server }) => server === state.name).length;
      const faults = warnings.filter(({ server }) => server === state.name).map(({ text }) => `    ${text}`);
      return [`${state.name.padEnd(22)} ${statusOf(state)}${contentOf(state, own)}`, ...cutOf(state), ...faults];
    })
    .join("\n");
}

function statusOf({ status }: ServerState): string {
  if (status.type === "failed") return `down: ${status.why}`;
  return status.type === "off" ? `off: ${status.why}` : status.type;
}

/** A small window shows less of them still, which its session says (CASES C-057). */
function cutOf({ instructions }: ServerState): readonly string[] {
  const max = bounds.serverInstructionsCharsMax;
  return instructions === null || instructions.length <= max ? [] : [`    ${cutText(instructions.length, max)}`];
}

function contentOf({ instructions, hasResources, prompts }: ServerState, tools: number): string {
  const parts = [
    tools === 0 ? "" : `${tools} tools`,
    hasResources ? "resources" : "",
    prompts.length === 0 ? "" : `${prompts.length} prompts`,
    instructions === null ? "" : `${instructions.length.toLocaleString("en-US")} characters of instructions`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}
