import type { Money, Price } from "../budget/prices.ts";
import { type Limits, percentOf, type Window } from "../budget/window.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import { toolSearchName } from "../prompt/doc.ts";
import { asSentWhole } from "./cleared.ts";
import type { LaneMemo, NotedSegment } from "./lane.ts";

/** A segment of the next prompt with what a person would call it by. `tokens` is the estimate. */
export type ContextSegment = NotedSegment & {
  readonly text: string | null;
  readonly tool?: string | undefined;
  readonly handle?: string | undefined;
  /** Whether it is the user-context block, which looks like a message on the wire. */
  readonly isUserContext?: boolean;
  /** Of a text from outside that was put in: its sort and what it is called. */
  readonly attached?: { readonly kind: string; readonly name: string };
};

export const categoryNames = [
  "tools",
  "system",
  "user context",
  "attached",
  "messages",
  "tool results",
  "reasoning",
  "other",
] as const;
export type CategoryName = (typeof categoryNames)[number];

export type ContextCategory = {
  readonly name: CategoryName;
  readonly tokens: number;
  /** Percent of what is used. */
  readonly share: number;
  /** For tool results by tool, for what was attached by its kind, largest first; empty otherwise. */
  readonly tools: readonly { readonly tool: string; readonly tokens: number; readonly share: number }[];
};

export type ContextItem = {
  /** The handle for `recall` where there is one, else the segment's number. */
  readonly id: string;
  readonly category: CategoryName;
  /** Of what was attached: its kind. */
  readonly tool: string | null;
  readonly title: string;
  readonly tokens: number;
};

/** What fills the window: the object `varve context --json` prints. All parts add up to `usedTokens`. */
export type ContextView = {
  readonly model: string;
  readonly window: Window;
  readonly reserveTokens: number;
  readonly usableTokens: number;
  readonly usedTokens: number;
  /** Of what is usable; may exceed 100. */
  readonly percent: number;
  readonly lines: { readonly warnTokens: number; readonly autoTokens: number; readonly hardTokens: number };
  /** `reported`: all of it was in a reported prompt; `partly`: what came since is estimated. */
  readonly counted: "reported" | "partly" | "estimated";
  readonly categories: readonly ContextCategory[];
  /** Largest first. */
  readonly items: readonly ContextItem[];
  /** What the provider cleared by itself of the newest request, so that it fills nothing; null: nothing. */
  readonly cleared: ClearedByProvider | null;
  /** Texts from outside that breaks did not take along, such as finished skills'; left out: there were none. */
  readonly leftBehind?: readonly { readonly kind: string; readonly name: string; readonly tokens: number }[];
  /** What sending it once costs for the prompt alone. */
  readonly nextRequest: { readonly warm: Money; readonly cold: Money };
};

export function contextView(input: {
  readonly segments: readonly ContextSegment[];
  readonly lane: LaneMemo;
  readonly limits: Limits;
  readonly price: Price;
}): ContextView {
  const { segments, lane, limits, price } = input;
  const measured = measuredTokens(lane, limits.window.model);
  const tokens = wholeTokens(segments.map((segment) => measured.get(segment.hash) ?? segment.tokens));
  const items = segments.map((segment, at) => itemOf(segment, at, tokens[at] ?? 0));
  const usedTokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const reported = segments.filter((segment) => measured.has(segment.hash)).length;
  return {
    model: limits.window.model,
    window: limits.window,
    reserveTokens: limits.reserveTokens,
    usableTokens: limits.usableTokens,
    usedTokens,
    percent: percentOf(usedTokens, limits.usableTokens),
    lines: { warnTokens: limits.warnTokens, autoTokens: limits.autoTokens, hardTokens: limits.lineTokens },
    counted: reported === 0 ? "estimated" : reported === segments.length ? "reported" : "partly",
    categories: categoriesOf(items, usedTokens),
    items: items.toSorted((a, b) => b.tokens - a.tokens),
    cleared: clearedNow(lane),
    nextRequest: nextRequestOf(usedTokens, price),
  };
}

function measuredTokens(lane: LaneMemo, model: string): ReadonlyMap<string, number> {
  const { previous } = lane;
  const known = previous?.measured === true && previous.model === model ? previous.segments : [];
  const shown = clearedNow(lane) === null ? asSentWhole(known) : known;
  return new Map(shown.map((segment) => [segment.hash, segment.tokens]));
}

/** Behind a break of ours nobody knows yet what the provider will clear. */
function clearedNow({ previous, breaks }: LaneMemo): ClearedByProvider | null {
  if (previous === null || previous.cleared === null || breaks.length > 0) return null;
  const { results, tokens } = previous.cleared;
  return { results, tokens };
}

/** Rounded so that the parts still add up to the rounded whole. */
function wholeTokens(tokens: readonly number[]): readonly number[] {
  let exact = 0;
  let shown = 0;
  return tokens.map((count) => {
    exact += count;
    const whole = Math.round(exact) - shown;
    shown += whole;
    return whole;
  });
}

function itemOf(segment: ContextSegment, at: number, tokens: number): ContextItem {
  const category = categoryOf(segment);
  const tool = segment.attached?.kind ?? segment.tool ?? null;
  return { id: segment.handle ?? String(at), category, tool, title: titleOf(segment), tokens };
}

function categoryOf({ kind, role, tool, isUserContext, attached }: ContextSegment): CategoryName {
  // Wherever a definition stands: in front, where a search's result refers to it, or in that result.
  if (role === "tools" || kind === "tool" || (kind === "tool-result" && tool === toolSearchName)) return "tools";
  if (role === "system") return "system";
  if (isUserContext === true) return "user context";
  if (attached !== undefined) return "attached";
  if (kind === "tool-result") return "tool results";
  if (kind === "reasoning") return "reasoning";
  return kind === "text" || kind === "tool-call" ? "messages" : "other";
}

const titleCharsMax = 80;

/** The first line that says something, without control characters: it goes to a terminal. */
function titleOf({ text, kind, attached }: ContextSegment): string {
  const line = (attached?.name ?? text ?? "")
    .slice(0, 2_000)
    .split("\n")
    .find((part) => part.trim() !== "");
  if (line === undefined) return `(${kind})`;
  const clean = line.replace(/[\p{C}\s]+/gu, " ").trim();
  const points = Array.from(clean);
  return points.length > titleCharsMax ? `${points.slice(0, titleCharsMax - 1).join("")}…` : clean;
}

function categoriesOf(items: readonly ContextItem[], usedTokens: number): readonly ContextCategory[] {
  return categoryNames.flatMap((name) => {
    const own = items.filter((item) => item.category === name);
    if (own.length === 0) return [];
    const tokens = own.reduce((sum, item) => sum + item.tokens, 0);
    const tools = name === "tool results" || name === "attached" ? byTool(own, usedTokens) : [];
    return [{ name, tokens, share: shareOf(tokens, usedTokens), tools }];
  });
}

function byTool(items: readonly ContextItem[], usedTokens: number): ContextCategory["tools"] {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(item.tool ?? "?", (sums.get(item.tool ?? "?") ?? 0) + item.tokens);
  return [...sums]
    .map(([tool, tokens]) => ({ tool, tokens, share: shareOf(tokens, usedTokens) }))
    .toSorted((a, b) => b.tokens - a.tokens);
}

function shareOf(tokens: number, of: number): number {
  return of === 0 ? 0 : Math.round((tokens / of) * 1_000) / 10;
}

function nextRequestOf(tokens: number, price: Price): ContextView["nextRequest"] {
  if (price.type === "unknown") return { warm: price, cold: price };
  if (price.type === "local") {
    return { warm: { type: "evaluated-tokens", tokens: 0 }, cold: { type: "evaluated-tokens", tokens } };
  }
  const usd = (rate: number): Money => ({ type: "usd", usd: (tokens * rate) / 1_000_000 });
  return { warm: usd(price.rates.read), cold: usd(price.rates.write5m) };
}
