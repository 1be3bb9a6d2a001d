import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Measures } from "../mcp/card-measures.ts";
import { cardText } from "../mcp/card-text.ts";
import { cardOf } from "../mcp/cards.ts";
import { catalogueOf } from "../mcp/catalogue.ts";
import { serverRoom, serverText } from "../mcp/stub.ts";
import { quotedName } from "../mcp/words.ts";
import type { LookAt, Offered, Told } from "../ports/knowledge.ts";
import type { ServerState, Servers } from "../ports/servers.ts";
import { reminderText } from "../prompt/context.ts";

/** What MCP servers say of themselves, a block each; what is told of what they cost was measured before this session. */
export function serversLook(servers: Servers, measures: Measures): (at: LookAt, windowTokens: number) => Promise<Told> {
  return async ({ held }, windowTokens) => {
    const states = servers.now();
    const { tools, warnings } = catalogueOf(states);
    const room = serverRoom(states.length, windowTokens);
    const names = ({ name }: ServerState) => tools.flatMap((one) => (one.server === name ? [one.tool] : []));
    const texts = new Map(states.map((state) => [state.name, serverText(state, tools, room)]));
    const kept = states.filter((state) => texts.get(state.name) === null && isLeftOpen(state, held));
    const attachments = states.flatMap((state): readonly Offered[] => {
      const said = texts.get(state.name) ?? null;
      if (kept.includes(state)) return standing(state, held);
      if (said === null) return state.status.type === "starting" ? [offered(state, startingText(state))] : [];
      const card = cardText(
        cardOf(measures, { server: state.name, tools: names(state), definitionTokens: null }),
        bounds.cardTokensMax,
      );
      const text = card === null || state.status.type === "off" ? said.text : `${said.text}\n${reminderText(card)}`;
      const { original } = said;
      const block = { ...offered(state, text), ...(original === undefined ? {} : { original }) };
      return [block, ...standing(state, held)];
    });
    const cuts = [...texts].flatMap(([name, said]) =>
      said?.cut === undefined ? [] : [`MCP server ${quotedName(name)}: ${said.cut}`],
    );
    return {
      ...{ attachments, covers: ["server"], kept: kept.map(({ name }) => ({ kind: "server", name })) },
      notes: [...warnings.map(({ text }) => `MCP server ${text}`), ...cuts],
    };
  };
}

/** It has a block from before the session was gone on with, and has not said yet whether it is the same. */
function isLeftOpen({ name, status }: ServerState, held: LookAt["held"]): boolean {
  const isUnknown = status.type === "starting" || status.type === "failed";
  return isUnknown && held.some((one) => one.kind === "server" && one.name === name);
}

/** That a server is down, and up again, is a line of its own: its block stays as it is. */
function standing(state: ServerState, held: LookAt["held"]): readonly Offered[] {
  const name = `${state.name} (state)`;
  const line = (words: string) => [
    { ...offered(state, reminderText(`The MCP server ${quotedName(state.name)} is ${words}`)), name },
  ];
  if (state.status.type === "failed") return line("down: its tools cannot be called now.");
  const wasDown = held.some((one) => one.kind === "server" && one.name === name);
  return state.status.type === "ready" && wasDown ? line("up again.") : [];
}

function offered({ name, source }: ServerState, text: string): Offered {
  return { kind: "server", name, source, hash: hashOf(text), text };
}

function startingText({ name }: ServerState): string {
  return reminderText(`The MCP server ${quotedName(name)} is still starting. ToolSearch waits for it.`);
}
