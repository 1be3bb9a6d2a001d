import type { BrainReply } from "./brain.ts";
import { countTokens, cutTokens } from "./tokens.ts";

export type Fitted = {
  readonly reply: BrainReply;
  readonly isCut: boolean;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
};

/**
 * Ends a reply where its output limit lies: reasoning first, then text; a call that does not fit whole is not sent. What is
 * written is counted as what is read: by the model's own rate (PROTOCOLS A.1).
 */
export function fitReply(reply: BrainReply, limitTokens: number, tokenRate: number): Fitted {
  let left = Math.max(0, limitTokens);
  let isCut = false;
  const rated = (text: string): number => Math.ceil(countTokens(text) * tokenRate);
  const spend = (text: string): string => {
    const tokens = rated(text);
    const kept = tokens <= left ? text : firstTokens(text, Math.floor(left / tokenRate));
    isCut ||= kept.length < text.length;
    left = kept === text ? left - tokens : 0;
    return kept;
  };
  const reasoning = reply.reasoning === undefined ? undefined : spend(reply.reasoning);
  const reasoningTokens = Math.max(0, limitTokens) - left;
  const text = reply.text === undefined ? undefined : spend(reply.text);
  const calls = (reply.calls ?? []).filter((call) => {
    const tokens = rated(`${call.tool}${JSON.stringify(call.input ?? {})}`);
    const fits = !isCut && tokens <= left;
    if (fits) left -= tokens;
    else isCut = true;
    return fits;
  });
  const { reasoning: _reasoning, text: _text, calls: _calls, ...rest } = reply;
  const fitted: BrainReply = {
    ...rest,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(text === undefined || (isCut && text === "") ? {} : { text }),
    calls,
  };
  return { reply: fitted, isCut, outputTokens: Math.max(0, limitTokens) - left, reasoningTokens };
}

function firstTokens(text: string, tokens: number): string {
  let taken = 0;
  let end = 0;
  cutTokens(text, (next) => {
    taken += 1;
    if (taken <= tokens) end = next;
  });
  return text.slice(0, end);
}
