import type { Compacted } from "../agent/compact-choices.ts";
import type { CompactionPreview, SummaryForecast } from "../agent/summary-forecast.ts";
import type { Money } from "../budget/prices.ts";
import { moneyText } from "../budget/prices.ts";
import type { Part } from "./compact-operands.ts";
import type { CompactionSeen } from "./compact-watch.ts";

type Portion = CompactionPreview["goes"];

/** What would go and what would stay, for people. */
export function previewText(
  preview: CompactionPreview,
  asked: { readonly part: Part; readonly focus: string; readonly why: string | null },
): string {
  const { goes, stays, blockTokens, headTokens, clearedTokens, tokensBefore, tokensAfter, summary } = preview;
  const cleared = clearedTokens === 0 ? "" : ` without the ${counted(clearedTokens)} that the provider clears`;
  const { part, focus, why } = asked;
  const what = part.kind === "all" ? "all finished work" : `finished work ${part.kind} entry ${part.entry}`;
  const about = focus === "" ? "" : `, the summary fullest about ${JSON.stringify(focus)}`;
  const lines = [
    `${what}${about}`,
    `the next request: about ${counted(tokensBefore)} tokens now${cleared}, about ${counted(tokensAfter)} after`,
    `goes: ${portionText(goes)}`,
    ...goes.byTool.map(
      ({ tool, calls, tokens }) => `  ${counted(tokens).padStart(9)}  ${tool}, ${many(calls, "call")}`,
    ),
    `stays: ${portionText(stays)}; system and tools, about ${counted(headTokens)} tokens`,
    `in its place: about ${counted(blockTokens)} tokens as a list${summary === null ? "" : `, or a summary of at most ${counted(summary.outputTokensMax)}`}; your messages stay word for word as far as there is room`,
    summary === null
      ? `no model would be asked${focus === "" ? "" : ", and nobody reads the focus"}: ${why ?? "too little would go to be worth a summary"}`
      : askText(summary),
    "nothing was sent and nothing was changed",
  ];
  return `${lines.join("\n")}\n`;
}

function askText({ model, promptTokens, cacheReadTokens, outputTokensMax, cost }: SummaryForecast): string {
  const cached =
    cacheReadTokens === 0 ? "none of it from the cache" : `${counted(cacheReadTokens)} of it from the cache`;
  const size = `${counted(promptTokens)} tokens, ${cached}, and an answer of at most ${counted(outputTokensMax)}`;
  return `the summary, asked of ${model}: about ${size}: ${costText(cost)}`;
}

function costText(cost: Money): string {
  return cost.type === "unknown" ? `unknown price (${cost.why})` : `at most about ${moneyText(cost)}`;
}

function portionText({ tokens, messages, calls, results }: Portion): string {
  return `about ${counted(tokens)} tokens, ${many(messages, "message")}, ${many(calls, "call")}, ${many(results, "result")}`;
}

/** What was done, and the ways back. */
export function compactedText({ by, tokensBefore, tokensAfter }: Compacted, seen: CompactionSeen): string {
  const { model, outcomes, cost, handles } = seen;
  const vain = outcomes.filter((outcome) => outcome !== "accepted");
  const tried = vain.length === 0 ? "" : `, after a summary failed: ${vain.join(", ")}`;
  const price = cost === null ? "" : cost.type === "unknown" ? " (unknown price)" : ` (${moneyText(cost)})`;
  const how: Readonly<Record<Compacted["by"], string>> = {
    model: `summed up by ${model ?? "the model"}`,
    provider: "summed up by the provider",
    fold: "folded into a list without a model",
  };
  const recall = handles.map((handle) => `\`varve recall ${handle}\``).join(", ");
  return [
    `compacted, ${how[by]}${tried}${price}: ${counted(tokensBefore)} tokens before, ${counted(tokensAfter)} after`,
    `${recall === "" ? "" : `all of what went, in lines: ${recall}; `}results keep their handles; \`varve undo\` takes it back`,
    "",
  ].join("\n");
}

/** `1 call`, `1,200 calls`. */
export function many(count: number, what: string): string {
  return `${counted(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function counted(count: number): string {
  return count.toLocaleString("en-US");
}
