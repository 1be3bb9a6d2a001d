/**
 * The one estimator (CASES C-073): trigger, cut point and display all use it. It needs no vocabulary: the text is read
 * once as runs of one character class, and a run costs what such runs cost on average. Exact counting is in `exact.ts`.
 *
 * Why runs: then the estimate never falls when text is appended, and cutting a text in two changes at most the one run
 * that is cut, by less than a token: `estimate(a + b) <= estimate(a) + estimate(b) + 1`.
 */

/**
 * Tokens by kind of content, before any learned factor. `marks` stand around blocks and are in no text; `fixed` is known
 * otherwise (images, parts that were measured).
 */
export type Counts = {
  readonly code: number;
  readonly json: number;
  readonly prose: number;
  readonly cjk: number;
  readonly marks: number;
  readonly fixed: number;
};

export const noCounts: Counts = { code: 0, json: 0, prose: 0, cjk: 0, marks: 0, fixed: 0 };

/** Tokens of a text, a whole number. */
export function estimate(text: string): number {
  return Math.ceil(totalOf(classify(text)));
}

export function totalOf(counts: Counts): number {
  return counts.code + counts.json + counts.prose + counts.cjk + counts.marks + counts.fixed;
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    code: a.code + b.code,
    json: a.json + b.json,
    prose: a.prose + b.prose,
    cjk: a.cjk + b.cjk,
    marks: a.marks + b.marks,
    fixed: a.fixed + b.fixed,
  };
}

/**
 * The same tokens, told apart by the kind of each line, so that a correction can differ by kind. The one loop that every
 * character of every text goes through: steps are looked up, and nothing is made in it.
 */
export function classify(text: string): Counts {
  const sums = { code: 0, json: 0, prose: 0, cjk: 0 };
  let state = stateOf(kinds.newline, 0);
  let before = 0;
  // How often the character at hand has come in a row.
  let same = 0;
  // Of the line at hand: what it costs, its first character that is no blank, and what there is in it.
  let [cost, first, quotes, symbols, letters] = [0, 0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    same = unit === before ? same + 1 : 1;
    before = unit;
    if (unit >= 128) {
      const wide = wideCost(unit, same);
      if (wide.cjk) sums.cjk += wide.cost;
      else cost += wide.cost;
      state = stateOf(kinds.wide, 0);
      continue;
    }
    const kind = asciiKinds[unit] ?? kinds.symbol;
    const step = stepOf(state, kind);
    cost += same > 2 && isRuler[unit] === 1 ? rulerCost : (steps.costs[step] ?? 0);
    state = steps.states[step] ?? 0;
    letters += isLetter[unit] ?? 0;
    symbols += isSymbol[unit] ?? 0;
    if (unit === 0x22) quotes++;
    if (first === 0 && kind !== kinds.space) first = unit;
    if (kind !== kinds.newline) continue;
    sums[classOf({ first, quotes, symbols, letters })] += cost;
    cost = first = quotes = symbols = letters = 0;
  }
  sums[classOf({ first, quotes, symbols, letters })] += cost;
  return {
    code: sums.code / parts,
    json: sums.json / parts,
    prose: sums.prose / parts,
    cjk: sums.cjk / parts,
    marks: 0,
    fixed: 0,
  };
}

/** Costs are whole numbers of 1/64 token, so that sums are exact and the laws above hold without rounding doubt. */
const parts = 64;

/** Longer runs cost as this one does. */
const runMax = 9;

const kinds = { lower: 0, upper: 1, digit: 2, space: 3, newline: 4, symbol: 5, wide: 6 } as const;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 97 && unit <= 122) return kinds.lower;
  if (unit >= 65 && unit <= 90) return kinds.upper;
  if (unit >= 48 && unit <= 57) return kinds.digit;
  if (unit === 32 || unit === 9) return kinds.space;
  return unit === 10 || unit === 13 ? kinds.newline : kinds.symbol;
});

const isLetter = asciiKinds.map((kind) => Number(kind === kinds.lower || kind === kinds.upper));
const isSymbol = asciiKinds.map((kind) => Number(kind === kinds.symbol));

/** Drawn as a rule; vocabularies hold whole rows of them. */
const isRuler = Uint8Array.from({ length: 128 }, (_, unit) => Number("-=*#._~".includes(String.fromCharCode(unit))));
const rulerCost = 2;

/** A word is capitals, then small letters; a capital after a small letter starts a new one (`getUserName`: three). */
function continues(before: number, kind: number): boolean {
  if (kind === kinds.lower) return before === kinds.lower || before === kinds.upper;
  return before === kind;
}

/**
 * Fitted by `bench estimate --data DIR` against o200k on the even rows of 240 real tool outputs, then rounded; on the
 * odd rows half are within 3 %, 95 % within 15 % (characters / 4: 13 % and 33 %). Only the growth of long words is not
 * fitted: a long run of letters is seldom a word, and real vocabularies differ most there, so it goes by characters / 4.
 */
function runCost(before: number, kind: number, run: number): number {
  switch (kind) {
    case kinds.lower:
    case kinds.upper:
      if (run === 1) return before === kinds.digit ? 16 : 72;
      return run > 8 ? 16 : 0;
    case kinds.digit:
      return run === 1 ? 76 : 20;
    case kinds.space:
      // One space belongs to the word behind it; indentation is one token, however deep.
      if (run === 1) return 0;
      return run === 2 ? 64 : 1;
    case kinds.newline:
      return run === 1 ? 64 : 4;
    default:
      return run === 1 ? 32 : 13;
  }
}

/** Every step there is: from a state, which is the kind of the last character and the length of its run, to a kind. */
const steps = (() => {
  const [costs, states] = [new Uint8Array(1024), new Uint8Array(1024)];
  for (let before = 0; before <= kinds.wide; before++)
    for (let length = 0; length <= runMax; length++)
      for (let kind = 0; kind < kinds.wide; kind++) {
        const run = continues(before, kind) ? length + 1 : 1;
        const step = stepOf(stateOf(before, length), kind);
        costs[step] = runCost(before, kind, run);
        states[step] = stateOf(kind, Math.min(run, runMax));
      }
  return { costs, states };
})();

function stateOf(kind: number, run: number): number {
  return (kind << 4) | run;
}

function stepOf(state: number, kind: number): number {
  return (state << 3) | kind;
}

const cjkCost = { cost: 56, cjk: true } as const;
/** Kana and Hangul come in pairs more often. */
const syllableCost = { cost: 48, cjk: true } as const;
/** Half of a pair: an emoji or a rare ideograph is 1.5 tokens. */
const surrogateCost = { cost: 48, cjk: true } as const;
const letterCost = { cost: 32, cjk: false } as const;
const signCost = { cost: 64, cjk: false } as const;
/** A drawn line or a bar that goes on, 8 to 16 to a token. */
const drawnCost = { cost: 6, cjk: false } as const;

function wideCost(unit: number, same: number): { readonly cost: number; readonly cjk: boolean } {
  if (unit < 0x0600) return letterCost;
  if (same > 1 && ((unit >= 0x2500 && unit <= 0x259f) || (unit >= 0x2010 && unit <= 0x2027))) return drawnCost;
  if (unit >= 0xd800 && unit <= 0xdfff) return surrogateCost;
  if (unit >= 0x3040 && unit <= 0x30ff) return syllableCost;
  if (unit >= 0xac00 && unit <= 0xd7a3) return syllableCost;
  if (unit >= 0x1100 && unit <= 0x11ff) return syllableCost;
  if (unit >= 0x2e80 && unit <= 0x9fff) return cjkCost;
  if (unit >= 0xf900 && unit <= 0xfaff) return cjkCost;
  if (unit >= 0xff00 && unit <= 0xffef) return cjkCost;
  return signCost;
}

/** `"`, `{`, `[`, `}`, `]` */
const jsonStarts: ReadonlySet<number> = new Set([0x22, 0x7b, 0x5b, 0x7d, 0x5d]);

type Line = { readonly first: number; readonly quotes: number; readonly symbols: number; readonly letters: number };

function classOf(line: Line): "code" | "json" | "prose" {
  if (jsonStarts.has(line.first) && (line.quotes >= 2 || line.letters === 0)) return "json";
  return line.symbols * 8 > line.letters ? "code" : "prose";
}
