import { bounds } from "../kernel/bounds.ts";
import { type Measures, meanOf, type ToolMeasures } from "./card-measures.ts";
import { type ShippedTool, shippedFor, wordsFor } from "./shipped-cards.ts";

/** What calling a server costs: as measured in this project, and before that as shipped with the program. */
export type Card = {
  /** Its alias. */
  readonly server: string;
  /** As it lists them now, or where it is not up as it last did; null: not known. */
  readonly toolCount: number | null;
  /** All its definitions; null: not known. */
  readonly definitionTokens: number | null;
  /** Of which something is known, the dearest first. */
  readonly tools: readonly ToolCard[];
};

export type ToolCard = {
  /** The server's own name for it. */
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly msMean: number | null;
  readonly figures: Figures;
  readonly kind: "text" | "image";
  readonly worth: "dear" | "usual";
  /** What costs less, in a few words. */
  readonly instead: string | null;
};

/** Tokens of one good result. `shown`: of its first form. */
export type Figures =
  | { readonly type: "measured"; readonly raw: Spread; readonly shown: Spread }
  | { readonly type: "shipped"; readonly raw: number }
  | { readonly type: "unknown" };

export type Spread = { readonly mean: number; readonly max: number };

/** A server as it is known at the moment: what it lists, without what the user's settings leave out. */
export type CardSubject = {
  readonly server: string;
  /** Its own names of its tools; null: it is not up. */
  readonly tools: readonly string[] | null;
  readonly definitionTokens: number | null;
};

export function cardOf(measures: Measures, { server, tools, definitionTokens }: CardSubject): Card {
  const measured = measures.get(server);
  const known = measured?.tools ?? new Map<string, ToolMeasures>();
  const names = new Set(tools ?? known.keys());
  const shipped = new Map(shippedFor(names).map((one) => [one.tool, one]));
  const cards = [...names]
    .filter((tool) => known.has(tool) || shipped.has(tool))
    .map((tool) => toolCard({ tool, measures: known.get(tool), shipped: shipped.get(tool), names }));
  return {
    server,
    toolCount: tools?.length ?? (measured?.toolCount || null),
    definitionTokens: definitionTokens ?? (measured?.definitionTokens || null),
    tools: cards.toSorted(dearestFirst),
  };
}

/** Two digits that count, so that one more call seldom changes what is said. */
export function roundedTokens(tokens: number): number {
  return Number(tokens.toPrecision(2));
}

type ToolSubject = {
  readonly tool: string;
  readonly measures: ToolMeasures | undefined;
  readonly shipped: ShippedTool | undefined;
  readonly names: ReadonlySet<string>;
};

function toolCard({ tool, measures, shipped, names }: ToolSubject): ToolCard {
  const figures = figuresOf(measures, shipped);
  const kind = shipped?.kind ?? "text";
  return {
    tool,
    calls: measures?.calls ?? 0,
    failed: measures?.failed ?? 0,
    msMean: measures === undefined || measures.ms.weight === 0 ? null : meanOf(measures.ms),
    figures,
    kind,
    worth: kind === "image" || isDear(figures, shipped) ? "dear" : "usual",
    instead: shipped === undefined ? null : wordsFor(shipped, names),
  };
}

/** Measured figures count at once where there are no others, else when there are enough of them. */
function figuresOf(measures: ToolMeasures | undefined, shipped: ShippedTool | undefined): Figures {
  const good = measures === undefined ? 0 : measures.calls - measures.failed;
  if (measures !== undefined && good >= (shipped === undefined ? 1 : bounds.cardCallsMin))
    return {
      type: "measured",
      raw: { mean: meanOf(measures.rawTokens), max: measures.rawTokensMax.tokens },
      shown: { mean: meanOf(measures.shownTokens), max: measures.shownTokensMax.tokens },
    };
  const raw = shipped?.rawTokens ?? null;
  return raw === null ? { type: "unknown" } : { type: "shipped", raw };
}

function isDear(figures: Figures, shipped: ShippedTool | undefined): boolean {
  if (figures.type === "unknown") return shipped !== undefined;
  return tokensOf(figures) >= bounds.dearTokensMin;
}

function tokensOf(figures: Figures): number {
  if (figures.type === "unknown") return 0;
  return roundedTokens(figures.type === "measured" ? figures.raw.mean : figures.raw);
}

function dearestFirst(a: ToolCard, b: ToolCard): number {
  return tokensOf(b.figures) - tokensOf(a.figures) || (a.tool < b.tool ? -1 : 1);
}
