/** Lines in a row that a text shows: `first` counts its lines from 0. */
export type ShownRun = { readonly of: string; readonly first: number; readonly count: number };

/** The lines that texts show, each text under a name. */
export type ShownLines = {
  add(of: string, text: string): void;
  /** The longest run that begins as these lines do, none longer than they are; of equals the newest. null: no run of `runLinesMin`. */
  find(text: string, lines: LineEnds, from: number, to: number): ShownRun | null;
};

/** Line `n` of a text lies between `starts[n]` and `starts[n + 1] - 1`; the end of the text ends its last line. */
export type LineEnds = { readonly starts: Int32Array; readonly count: number };

/** Shorter runs are not looked for: they stand everywhere. */
export const runLinesMin = 3;

/** Linear in what is added and in what is looked for, whatever the texts are. */
export function shownLines(): ShownLines {
  const texts: (Shown & { readonly of: string })[] = [];
  const places = new Map<string, number[]>();
  return {
    add(of, text) {
      const lines = lineEnds(text);
      const at = texts.push({ of, text, lines }) - 1;
      for (let first = 0; first + runLinesMin <= lines.count; first++) {
        const key = linesIn(text, lines, first, runLinesMin);
        const known = places.get(key);
        if (known === undefined) places.set(key, [at, first]);
        // Within one text the first one stands for all.
        else if (known.at(-2) !== at) places.set(key, [...known, at, first].slice(-placesMax * 2));
      }
    },
    find(text, lines, from, to) {
      if (from + runLinesMin > to) return null;
      const known = places.get(linesIn(text, lines, from, runLinesMin)) ?? [];
      let best: ShownRun | null = null;
      for (let place = 0; place < known.length; place += 2) {
        const shown = texts[known[place] ?? -1];
        const first = known[place + 1] ?? 0;
        if (shown === undefined) continue;
        const count = sameLines({ text, lines }, from, to, shown, first);
        if (best === null || count >= best.count) best = { of: shown.of, first, count };
      }
      return best;
    },
  };
}

type Shown = { readonly text: string; readonly lines: LineEnds };

/** Of what stands in many texts only the newest places are known. */
const placesMax = 4;

export function lineEnds(text: string): LineEnds {
  const starts: number[] = [];
  let start = 0;
  while (start < text.length) {
    starts.push(start);
    const end = text.indexOf("\n", start);
    start = end < 0 ? text.length + 1 : end + 1;
  }
  return {
    starts: Int32Array.from([...starts, text.endsWith("\n") ? text.length : text.length + 1]),
    count: starts.length,
  };
}

/** Without the line end behind the last of them. */
export function linesIn(text: string, { starts }: LineEnds, first: number, count: number): string {
  return text.slice(starts[first], (starts[first + count] ?? 0) - 1);
}

/** How many lines from there on are the same in both. */
function sameLines(a: Shown, from: number, to: number, b: Shown, first: number): number {
  let count = runLinesMin;
  while (from + count < to && first + count < b.lines.count && sameLine(a, from + count, b, first + count)) count++;
  return count;
}

function sameLine(a: Shown, at: number, b: Shown, other: number): boolean {
  return linesIn(a.text, a.lines, at, 1) === linesIn(b.text, b.lines, other, 1);
}
