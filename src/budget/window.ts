import { bareId } from "./model-id.ts";
import { type ModelFacts, modelTable, modelTableDate } from "./model-table.ts";

/** What a request to a model may hold, and where each number comes from. */
export type Window = {
  readonly model: string;
  readonly windowTokens: number;
  /** null: only the window limits the input. */
  readonly inputTokensMax: number | null;
  readonly outputTokensMax: number;
  readonly from: "settings" | "learned" | "listed" | "table" | "assumed";
  /** For people: the source, or for an assumed window how to set it (CASES C-079). */
  readonly note: string;
};

export type WindowSources = {
  readonly model: string;
  /** What the provider's own refusals said (`limit-learned`); it wins, unless the user set less. */
  readonly learned?: LearnedTokens | null;
  /** The user's settings for this model; they win over what is listed and over the table. */
  readonly settings?: WindowSettings | null;
  /** What the provider's own listing says (`model-described`); it wins over the table. */
  readonly listed?: ListedLimits | null;
};

/** `guess`: for a refusal that named no number, and for a while (`log/limits.ts`). */
export type LearnedTokens = {
  readonly named: number | null;
  readonly guess: { readonly tokens: number } | null;
};

export type ListedLimits = { readonly inputTokensMax: number | null; readonly outputTokensMax: number | null };

/** How a window is kept. `epochs`: append until it is nearly full, then sum up. `window`: the newest rounds behind a rolling summary. */
export type MemoryPolicy = "epochs" | "window";

export const memoryPolicies: readonly MemoryPolicy[] = ["epochs", "window"];

export type WindowSettings = {
  readonly windowTokens: number;
  readonly inputTokensMax?: number | undefined;
  readonly outputTokensMax?: number | undefined;
};

/**
 * For models nobody described: large enough that a server of 131k tokens is not folded all the time, small enough that
 * its limit is not passed. A smaller one says so by refusing, and the number it names is used from then on.
 */
export const assumedWindowTokens = 128_000;
const assumedOutputTokensMax = 16_000;

export function windowOf({ model, learned = null, settings = null, listed = null }: WindowSources): Window {
  const known = settings === null ? listedWindow(tableWindow(model), listed) : settingsWindow(model, settings, listed);
  const { named, guess } = learned ?? { named: null, guess: null };
  if (guess !== null && guess.tokens < (named ?? Number.POSITIVE_INFINITY))
    return learnedWindow(known, guess.tokens, `without a number; ${guess.tokens} tokens are a guess`);
  return learnedWindow(known, named ?? 0, `and named ${named} tokens`);
}

function learnedWindow(known: Window, tokens: number, said: string): Window {
  if (tokens <= 0) return known;
  if (known.from === "settings" && inputLimit(known) <= tokens) return known;
  return {
    ...known,
    windowTokens: known.from === "assumed" ? tokens : Math.max(known.windowTokens, tokens),
    inputTokensMax: tokens,
    from: "learned",
    note: `the provider refused a longer request ${said}`,
  };
}

export function factsOf(model: string): ModelFacts | null {
  const id = bareId(model);
  return modelTable.find((facts) => facts.id === id) ?? null;
}

/** The newest of a family of Claude by the short name that its users' files give it; any other name as it is. */
export function fullName(name: string): string {
  if (!shortNames.has(name)) return name;
  return modelTable.find(({ id }) => id.startsWith(`claude-${name}-`))?.id ?? name;
}

const shortNames: ReadonlySet<string> = new Set(["haiku", "sonnet", "opus"]);

/** What one step may use, less the reserve. Never negative. */
export function usableTokens(window: Pick<Window, "windowTokens" | "inputTokensMax">, reserveTokens: number): number {
  return Math.max(0, inputLimit(window) - Math.max(0, reserveTokens));
}

/** Kept free for the answer and for one compaction (DESIGN 6): min(20 % of the window, max(8k, both)). */
export function reserveTokens(
  window: Pick<Window, "windowTokens" | "inputTokensMax">,
  outputTokensMax: number,
): number {
  const wanted = Math.max(reserveTokensMin, outputTokensMax + compactionInstructionTokens);
  return Math.min(Math.floor(inputLimit(window) * reserveShareMax), wanted);
}

const reserveTokensMin = 8_000;
const reserveShareMax = 0.2;
const compactionInstructionTokens = 1_000;

/** Shares of usable at which something happens (DESIGN 6). */
export const lineShares = { warn: 0.7, auto: 0.8, hard: 0.92 } as const;

export type Limits = {
  readonly window: Window;
  readonly reserveTokens: number;
  readonly usableTokens: number;
  readonly warnTokens: number;
  readonly autoTokens: number;
  /** The hard line: above it something is taken away before the next request. */
  readonly lineTokens: number;
};

/** `reserve` is a setting; a larger one never raises a line (CASES C-007). */
export function limitsOf(
  sources: WindowSources & { readonly outputTokensMax: number; readonly reserve?: number | undefined },
): Limits {
  const window = windowOf(sources);
  const reserved = sources.reserve ?? reserveTokens(window, sources.outputTokensMax);
  const usable = usableTokens(window, reserved);
  return {
    window,
    reserveTokens: reserved,
    usableTokens: usable,
    warnTokens: Math.floor(usable * lineShares.warn),
    autoTokens: Math.floor(usable * lineShares.auto),
    lineTokens: Math.floor(usable * lineShares.hard),
  };
}

export type Pressure = "calm" | "warn" | "auto" | "hard" | "over";

/** Law 5 compares the estimate and its margin with usable; so does this. */
export function pressureOf(tokens: number, limits: Omit<Limits, "window" | "reserveTokens">): Pressure {
  if (tokens > limits.usableTokens) return "over";
  if (tokens > limits.lineTokens) return "hard";
  if (tokens > limits.autoTokens) return "auto";
  return tokens > limits.warnTokens ? "warn" : "calm";
}

/** The meter: of what is usable, not of the raw window (CASES C-081). May exceed 100. */
export function percentOf(usedTokens: number, usable: number): number {
  return usable <= 0 ? 100 : Math.round((usedTokens / usable) * 1_000) / 10;
}

/** What an answer may take so that prompt and answer fit the window: where the wanted size does not, less is asked. */
export function outputRoomTokens(window: Window, promptTokens: number, wantedTokens: number): number {
  const free = window.windowTokens - promptTokens;
  return Math.max(1, Math.min(wantedTokens, window.outputTokensMax, free));
}

function inputLimit({ windowTokens, inputTokensMax }: Pick<Window, "windowTokens" | "inputTokensMax">): number {
  return Math.min(windowTokens, inputTokensMax ?? windowTokens);
}

function settingsWindow(model: string, settings: WindowSettings, listed: ListedLimits | null): Window {
  return {
    model,
    windowTokens: settings.windowTokens,
    inputTokensMax: settings.inputTokensMax ?? null,
    outputTokensMax: settings.outputTokensMax ?? listed?.outputTokensMax ?? tableWindow(model).outputTokensMax,
    from: "settings",
    note: "set by you (--window or models.json)",
  };
}

/** A listing names the longest input: of a window that is known to hold more, or it is all we know of the window. */
function listedWindow(table: Window, listed: ListedLimits | null): Window {
  if (listed === null || (listed.inputTokensMax ?? listed.outputTokensMax) === null) return table;
  const outputTokensMax = listed.outputTokensMax ?? table.outputTokensMax;
  if (listed.inputTokensMax === null) return { ...table, outputTokensMax };
  const inputTokensMax = listed.inputTokensMax;
  const holdsMore = table.from === "table" && inputTokensMax >= inputLimit(table);
  return {
    model: table.model,
    windowTokens: holdsMore ? Math.max(table.windowTokens, inputTokensMax) : inputTokensMax,
    inputTokensMax,
    outputTokensMax,
    from: "listed",
    note: "the provider's own listing of its models",
  };
}

function tableWindow(model: string): Window {
  const facts = factsOf(model);
  if (facts === null) return assumedWindow(model);
  const { windowTokens, inputTokensMax, outputTokensMax, source } = facts;
  return {
    model,
    windowTokens,
    inputTokensMax,
    outputTokensMax,
    from: "table",
    note: `${source} (table of ${modelTableDate})`,
  };
}

function assumedWindow(model: string): Window {
  return {
    model,
    windowTokens: assumedWindowTokens,
    inputTokensMax: null,
    outputTokensMax: assumedOutputTokensMax,
    from: "assumed",
    note:
      `nothing is known of "${model}": ${assumedWindowTokens} tokens are assumed. ` +
      `Set it with --window, or lastingly in models.json in Varve's home: {"models": [{"id": ${JSON.stringify(model)}, "windowTokens": 32768}]}`,
  };
}
