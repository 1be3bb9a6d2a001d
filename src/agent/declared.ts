import { bounds } from "../kernel/bounds.ts";
import type { EntryBody, ModelChoice } from "../log/entry.ts";
import type { RevealedTool } from "../log/revealed.ts";
import type { State } from "../log/state.ts";
import { catalogue } from "../prompt/catalogue.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { parsedDeclaration } from "../prompt/head.ts";
import type { AgentConfig } from "./config.ts";
import { limitsFor } from "./limits-now.ts";
import type { TextCache } from "./texts.ts";
import { toolRoom } from "./tool-room.ts";

/**
 * What an epoch declares: the tools that are always there, and those of servers that were found before and are in use. What a
 * search finds later is shown with its result; the declared tools never change within an epoch (M-22).
 */
export async function declaredNow(
  state: State,
  choice: ModelChoice,
  config: Pick<AgentConfig, "tools" | "serverTools" | "codecFor" | "windowFor" | "caps">,
  texts: TextCache,
): Promise<readonly ToolDeclaration[]> {
  const { revealed, turns } = state;
  const { tools, serverTools, codecFor } = config;
  const reveals = codecFor(choice.wire).abilities(choice.model).revealsTools === true;
  const always = tools.filter(({ passesOn }) => passesOn !== true || !reveals).map(({ declaration }) => declaration);
  const names = new Set(always.map(({ name }) => name));
  const inUse = Object.values(revealed).filter(
    ({ name, usedTurn }) =>
      !names.has(name) && (turns - usedTurn < bounds.toolIdleTurnsMax || serverTools?.isAlways(name)),
  );
  const read = inUse.map(async ({ declaration }) => parsedDeclaration(await texts.read(declaration)));
  // A text that is lost with damaged blobs: it is found again by a search.
  const found = (await Promise.all(read)).filter((one) => one !== null);
  return catalogue([...always, ...withinCap(found, toolRoom(limitsFor(choice, state, config).inputTokensMax))]);
}

/** The tools used last are not known by their order: where all are too many, those first by name stay. */
function withinCap(found: readonly ToolDeclaration[], room: number): readonly ToolDeclaration[] {
  let left = Math.min(bounds.revealedCharsMax, room);
  return found
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ description, inputSchema }) => {
      const chars = description.length + inputSchema.length;
      const fits = chars <= left;
      if (fits) left -= chars;
      return fits;
    });
}

/** Tools that are to be declared though nobody searched for them, as entries: the next epoch has them. */
export async function alwaysRevealed(
  { revealed }: Pick<State, "revealed">,
  serverTools: AgentConfig["serverTools"],
  texts: TextCache,
): Promise<readonly EntryBody[]> {
  const fresh = (serverTools?.always() ?? []).filter(
    ({ name, definition }) => revealed[name]?.definition !== definition,
  );
  if (fresh.length === 0) return [];
  return [{ type: "tools-revealed", callId: null, tools: await keptTools(fresh, texts) }];
}

/** With their texts where entries have them. */
export async function keptTools(tools: readonly RevealedTool[], texts: TextCache): Promise<readonly RevealedTool[]> {
  const kept = tools.map(async (tool) => {
    const { declaration } = tool;
    return typeof declaration === "string" ? { ...tool, declaration: await texts.keep(declaration) } : tool;
  });
  return await Promise.all(kept);
}
