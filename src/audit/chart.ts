/**
 * What the picture of the window shows, apart from how it is drawn: labels are words, ranks are made. Texts are one line
 * each and clean; numbers may still be anything a bad file holds.
 */
export type Picture = {
  readonly title: string;
  readonly subtitle: string;
  /** What a reader must know to trust it: estimates, a report that is not whole, what is left out. */
  readonly notes: readonly string[];
  readonly bars: Bars | null;
  readonly panels: readonly Panel[];
};

/** One session's window, call by call. */
export type Panel = {
  readonly title: string;
  readonly facts: string;
  /** One sentence: what to see here. */
  readonly reading: string;
  /** As stacked, lowest first. */
  readonly layers: readonly Layer[];
  /** Heads the column of shares. */
  readonly shareOf: string;
  /** On the bill, but never in the window: the answers as billed. null: unknown. */
  readonly answersShare: number | null;
  readonly columns: readonly Column[];
  /** null: no limit is known for the model. */
  readonly windowTokens: number | null;
  readonly changes: readonly Change[];
  readonly losses: readonly Loss[];
};

/** `tool-1` is the tool whose results weigh most. */
export type LayerKind =
  | "head"
  | "summary"
  | "typed"
  | "injected"
  | "assistant"
  | "reasoning"
  | "calls"
  | "tool-1"
  | "tool-2"
  | "tool-3"
  | "tool-4"
  | "results"
  | "images"
  | "other";

export type Layer = {
  readonly kind: LayerKind;
  readonly label: string;
  /** Entered the window, each piece once. */
  readonly tokens: number;
  /** Percent; null: unknown. */
  readonly share: number | null;
};

export type Column = {
  /** Number of the call in its session, from 0. */
  readonly call: number;
  /** How many calls it stands for. */
  readonly calls: number;
  readonly at: number | null;
  readonly promptTokens: number;
  /** `estimated`: the prompt was not reported; drawn hatched. */
  readonly from: "reported" | "estimated";
  /** Tokens of each layer, in their order. */
  readonly parts: readonly number[];
  readonly cacheReadTokens: number;
};

/** The context began anew at a call, or went to another model. */
export type Change = {
  readonly call: number;
  readonly what: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
};

/** Tokens paid for again though a cache had held them. */
export type Loss = {
  readonly call: number;
  readonly kind: "cold" | "missed";
  /** For people: `expired`. */
  readonly cause: string;
  readonly tokens: number;
  /** null: unknown. */
  readonly usd: number | null;
};

/** Sessions side by side, the largest first. */
export type Bars = {
  readonly unit: "usd" | "tokens";
  readonly rows: readonly BarRow[];
};

export const barKinds = ["head", "messages", "answers", "calls", "results", "other", "output"] as const;

export type BarKind = (typeof barKinds)[number];

export type BarRow = {
  readonly label: string;
  readonly detail: string;
  /** null: unknown; `detail` says so. */
  readonly values: Readonly<Record<BarKind, number>> | null;
};
