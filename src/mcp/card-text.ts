import { estimate } from "../budget/count.ts";
import { type Card, roundedTokens, type ToolCard } from "./cards.ts";

/**
 * What the agent is told of a server's dear tools, in the server's own block; null: none is dear. The least dear are left out
 * where there is no room. Names are the server's words, and stand here only where they are names.
 */
export function cardText({ tools }: Card, tokensMax: number): string | null {
  const dear = tools.filter(({ tool, worth }) => worth === "dear" && nameShape.test(tool));
  let text = heading;
  let count = 0;
  for (const tool of dear) {
    const longer = `${text}\n${lineOf(tool)}`;
    if (estimate(longer) > tokensMax) continue;
    text = longer;
    count += 1;
  }
  return count === 0 ? null : text;
}

const heading = "Dear tools (tokens of one result), and what costs less:";

const nameShape = /^[\w./-]{1,64}$/;

function lineOf(card: ToolCard): string {
  return `- ${card.tool} (${costOf(card)}): ${card.instead ?? anyInstead}`;
}

const anyInstead = "ask for less, or recall parts of a result";

function costOf({ figures, kind }: ToolCard): string {
  if (kind === "image") return "an image";
  if (figures.type === "unknown") return "can be long";
  if (figures.type === "shipped") return `often ${tokensText(figures.raw)}`;
  const { raw, shown } = figures;
  const part = roundedTokens(shown.mean) < roundedTokens(raw.mean) ? `; ${tokensText(shown.mean)} shown` : "";
  return `${tokensText(raw.mean)}${part}`;
}

function tokensText(tokens: number): string {
  return roundedTokens(tokens).toLocaleString("en-US");
}
