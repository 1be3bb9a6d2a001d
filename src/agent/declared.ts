import { bounds } from "../kernel/bounds.ts";
import type { EntryBody, ModelChoice } from "../log/entry.ts";
import type { RevealedTool } from "../log/revealed.ts";
import type { State } from "../log/state.ts";
import { catalogue } from "../prompt/catalogue.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { parsedDeclaration } from "../prompt/head.ts";
import type { AgentConfig } from "./config.ts";
import type { TextCache } from "./texts.ts";

/**
 * What an epoch declares: the tools that are always there, and those of servers that were found before and are in use. What a
 * search finds later is shown with its result; the declared tools never change within an epoch (M-22).
 */
export async function declaredNow(
  { revealed, turns }: State,
  { wire, model }: ModelChoice,
  { tools, serverTools, codecFor }: Pick<AgentConfig, "tools" | "serverTools" | "codecFor">,
  texts: TextCache,
): Promise<readonly ToolDeclaration[]> {
  const reveals = codecFor(wire).abilities(model).revealsTools === true;
  const always = tools.filter(({ passesOn }) => passesOn !== true || !reveals).map(({ declaration }) => declaration);
  const names = new Set(always.map(({ name }) => name));
  const inUse = Object.values(revealed).filter(
    ({ name, usedTurn }) =>
      !names.has(name) && (turns - usedTurn < bounds.toolIdleTurnsMax || serverTools?.isAlways(name)),
  );
  const read = inUse.map(async ({ declaration }) => parsedDeclaration(await texts.read(declaration)));
  // A text that is lost with damaged blobs: it is found again by a search.
  const found = (await Promise.all(read)).filter((one) => one !== null);
  return catalogue([...always, ...withinCap(found)]);
}

/** The tools used last are not known by their order: where all are too many, those first by name stay. */
function withinCap(found: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  let chars = 0;
  return found
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ description, inputSchema }) => {
      chars += description.length + inputSchema.length;
      return chars <= bounds.revealedCharsMax;
    });
}

/** Tools that are to be declared though nobody searched for them, as entries: the next epoch has them. */
export async function alwaysRevealed(
  { revealed }: Pick<State, "revealed">,
  serverTools: AgentConfig["serverTools"],
  texts: TextCache,
): Promise<readonly EntryBody[]> {
  const fresh = (serverTools?.always() ?? []).filter(({ name }) => revealed[name] === undefined);
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
