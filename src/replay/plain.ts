import type { Block } from "./recording.ts";
import { tokensIn, whole } from "./shown.ts";
import type { Moment, Shown, Strategy, Terms } from "./strategy.ts";

/** The simple rules that tools in the field use, as `tools/netcost.py` states them (METRICS 1). */
export const plainRules: readonly Strategy[] = [
  plain("none", {}),
  plain("keep-last-10", { clear: keepLast(10) }),
  plain("keep-last-3", { clear: keepLast(3) }),
  plain("clear-100k-keep-3", { clear: clearAbove(100_000, 3) }),
  plain("clear-50k-keep-3", { clear: clearAbove(50_000, 3) }),
  plain("cut-8k", { cutChars: 8_000 }),
  plain("cut-2k", { cutChars: 2_000 }),
  plain("ski-10", { clear: skiRental(10) }),
  plain("ski-10-cut-8k", { clear: skiRental(10), cutChars: 8_000 }),
];

/** One live block: what is shown of it, and what would stand in its place. */
type Part = { readonly shown: Shown; readonly stub: Shown | null; readonly isCleared: boolean };

/** Which parts to clear now. `live`: all parts, oldest first; `open`: the results among them that are not cleared yet. */
type Clear = (terms: Terms) => (live: readonly Part[], open: readonly Part[], restarted: boolean) => readonly Part[];

type Rule = { readonly clear?: Clear; readonly cutChars?: number };

function plain(name: string, { clear, cutChars = Number.POSITIVE_INFINITY }: Rule): Strategy {
  return {
    name,
    open: (terms) => {
      const parts = new Map<number, Part>();
      const handles = new Map<string, string>();
      const choose = clear?.(terms) ?? (() => []);
      const partOf = (block: Block) => {
        const part = parts.get(block.id) ?? firstPart(block, terms, handles, cutChars);
        parts.set(block.id, part);
        return part;
      };
      return (moment) => {
        const live = moment.blocks.map(partOf);
        const open = live.filter(({ stub, isCleared }) => stub !== null && !isCleared);
        const chosen = new Set(choose(live, open, moment.restarted));
        for (const [at, { id }] of moment.blocks.entries()) {
          const part = live[at];
          if (part?.stub != null && chosen.has(part)) parts.set(id, { ...part, shown: part.stub, isCleared: true });
        }
        return {
          shown: moment.blocks.map((block) => partOf(block).shown),
          break: isBreak(live, chosen, moment) ? "cleared" : null,
          calls: [],
          reasoningTokensLost: 0,
        };
      };
    },
  };
}

/** What no model has seen yet may change freely. */
function isBreak(live: readonly Part[], chosen: ReadonlySet<Part>, { unseenFrom, restarted }: Moment): boolean {
  return !restarted && live.slice(0, unseenFrom).some((part) => chosen.has(part));
}

function firstPart(block: Block, terms: Terms, handles: Map<string, string>, cutChars: number): Part {
  const shown = whole(block, terms.tokensOf);
  const { callId, kind, text } = block;
  if (callId === null || (kind !== "tool-result" && kind !== "recalled"))
    return { shown, stub: null, isCleared: false };
  const handle = handles.get(callId) ?? terms.handleOf(text);
  handles.set(callId, handle);
  const withHandle = (form: string): Shown => ({
    ...shown,
    text: form,
    tokens: terms.tokensOf(form),
    handles: [{ handle, callIds: [callId] }],
  });
  const stub = withHandle(stubText(handle));
  const cut = kind === "tool-result" ? cutText(text, cutChars, handle) : null;
  return { shown: cut === null ? shown : withHandle(cut), stub, isCleared: false };
}

/** 64 characters with a handle of 12: the 16 tokens that the script takes a stub to be. */
export function stubText(handle: string): string {
  return `[Result left out; recall handle=${handle} returns all of it.]`;
}

/** Its first and last half, 65 characters between them; null when it is short enough. */
function cutText(text: string, chars: number, handle: string): string | null {
  if (text.length <= chars) return null;
  const points = Array.from(text);
  if (points.length <= chars) return null;
  const note = `\n[middle left out; recall handle=${handle} returns all of it]\n`;
  return points.slice(0, chars / 2).join("") + note + points.slice(-chars / 2).join("");
}

function keepLast(kept: number): Clear {
  return () => (_live, open) => open.slice(0, -kept);
}

function clearAbove(tokensMax: number, kept: number): Clear {
  return ({ headTokens }) =>
    (live, open) =>
      headTokens + tokensIn(live.map(({ shown }) => shown)) > tokensMax ? open.slice(0, -kept) : [];
}

/** Rent is what the candidates cost to read again, step by step; they are bought out once it reaches the price of that. */
function skiRental(kept: number): Clear {
  return ({ prices }) => {
    let rent = 0;
    return (live, open, restarted) => {
      if (restarted) rent = 0;
      const candidates = open.slice(0, -kept).filter(isWorthIt);
      const [first] = candidates;
      if (first === undefined) return [];
      const saved = candidates.reduce((total, { shown, stub }) => total + shown.tokens - (stub?.tokens ?? 0), 0);
      const behind = tokensIn(live.slice(live.indexOf(first)).map(({ shown }) => shown)) - saved;
      rent += prices.read * saved;
      if (rent < (prices.write - prices.read) * behind) return [];
      rent = 0;
      return candidates;
    };
  };
}

function isWorthIt({ shown, stub }: Part): boolean {
  return stub !== null && shown.tokens > 2 * stub.tokens;
}
