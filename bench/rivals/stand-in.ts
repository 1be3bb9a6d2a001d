import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Decision, Terms } from "../../src/replay/strategy.ts";

/**
 * In place of the model that writes summaries. Deterministic, and kinder than most: it repeats strings of what it was
 * given to summarise, which is what later needs are looked for in.
 */
export class StandInModel extends BaseChatModel {
  readonly written: { readonly prompt: string; readonly summary: string }[] = [];
  readonly windowTokens: number;

  constructor(windowTokens: number) {
    super({});
    this.windowTokens = windowTokens;
  }

  override get profile() {
    return { maxInputTokens: this.windowTokens };
  }

  _llmType(): string {
    return "stand-in";
  }

  async _generate(messages: BaseMessage[]) {
    const prompt = messages.map(({ text }) => text).join("\n");
    const summary = summaryOf(prompt);
    this.written.push({ prompt, summary });
    return { generations: [{ text: summary, message: new AIMessage(summary) }] };
  }
}

/** What writing summaries cost since it was last asked: another prompt each, so nothing of it is read from a cache. */
export function summaryCalls({ written }: StandInModel, { tokensOf, prices }: Terms): Decision["calls"] {
  return written.splice(0).map(({ prompt, summary }) => ({
    readTokens: 0,
    // Sent without a cache marker, so at the price of plain input, which is 1.
    writeTokens: tokensOf(prompt) / prices.write,
    outputTokens: tokensOf(summary),
  }));
}

/** Paths, then commands, then names, of each kind the most frequent first, up to the size of a long summary. */
function summaryOf(text: string): string {
  const parts = [
    { title: "Files:", found: mostFrequent(text.match(/(?:[\w@.-]+\/)+[\w@.-]+\.[A-Za-z]{1,5}/g) ?? []), share: 0.4 },
    { title: "Commands:", found: mostFrequent(commandsIn(text)), share: 0.3 },
    { title: "Names:", found: mostFrequent(text.match(/[A-Za-z_][A-Za-z0-9_]{9,60}/g) ?? []), share: 0.3 },
  ];
  const listed = parts.map(({ title, found, share }) => [title, ...within(found, summaryCharsMax * share)].join("\n"));
  return ["What was done so far.", ...listed].join("\n\n");
}

/** About 1,500 tokens: real summaries of long sessions are between 1,000 and 2,000. */
const summaryCharsMax = 6_000;

function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/"(?:command|cmd)"\s*:\s*"((?:[^"\\]|\\.){1,200})"/g)].map(([, command = ""]) => command);
}

function mostFrequent(found: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([one]) => one);
}

function within(lines: readonly string[], charsMax: number): readonly string[] {
  let left = charsMax;
  return lines.filter((line) => {
    left -= line.length + 1;
    return left >= 0;
  });
}
