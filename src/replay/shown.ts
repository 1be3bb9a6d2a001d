import type { Block } from "./recording.ts";
import type { Shown } from "./strategy.ts";

/** A block as it was recorded. */
export function whole(block: Block, tokensOf: (text: string) => number): Shown {
  const { role, kind, callId, text } = block;
  return { role, kind, callId, text, tokens: tokensOf(text), handles: namedIn(block) };
}

/** What was recalled in part names the handle of the rest. */
export function namedIn({ callId, handle }: Block): Shown["handles"] {
  return handle === undefined || callId === null ? [] : [{ handle, callIds: [callId] }];
}

/** The provider compares bytes, so equal texts are equal segments whatever stands behind them. */
export function isSame(a: Shown, b: Shown): boolean {
  return a === b || (a.role === b.role && a.kind === b.kind && a.callId === b.callId && a.text === b.text);
}

export function tokensIn(shown: readonly { readonly tokens: number }[]): number {
  return shown.reduce((total, { tokens }) => total + tokens, 0);
}
