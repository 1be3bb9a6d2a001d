import { bounds } from "../kernel/bounds.ts";
import type { FactState } from "../log/facts.ts";
import type { FactSetting } from "../memory/fact-commands.ts";
import { factTokens, factTokensMax } from "../memory/facts.ts";
import { printable } from "./terminal.ts";

export function factsJson({ active, proposed }: FactState, { windowTokens }: FactSetting): string {
  return JSON.stringify({
    facts: active.map(({ id, scope, text }) => ({ id, scope, text })),
    proposed: proposed.map(({ id, by, text }) => ({ id, by, text })),
    factsMax: bounds.factsMax,
    tokens: factTokens(active),
    tokensMax: factTokensMax(windowTokens),
  });
}

export function factsLines({ active, proposed }: FactState, { windowTokens }: FactSetting): string {
  const most = factTokensMax(windowTokens).toLocaleString("en-US");
  const room = `${active.length} of ${bounds.factsMax} facts, about ${factTokens(active)} of ${most} tokens`;
  const waiting = proposed.map(
    ({ id, by, text }) => `${id}  ${by === "user" ? "said by you" : "by the agent"}  ${inLine(text)}`,
  );
  const lines = [
    ...active.map(({ id, scope, text }) => `${id}  ${scope}  ${inLine(text)}`),
    active.length === 0 ? "no facts are in force" : room,
    ...(waiting.length === 0 ? [] : ["", "Proposed: varve facts accept ID, or refuse ID", ...waiting]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Further lines of a fact stand under its first one. */
function inLine(text: string): string {
  return printable(text).replaceAll("\n", `\n${" ".repeat(21)}`);
}
