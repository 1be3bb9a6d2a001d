/** What a request shows in one place. */
export type RequestText = { readonly text: string; readonly isResult: boolean };

/**
 * The pointers in one request that do not lead to their lines: no result of it shows, at the lines they name, what the
 * original of their own handle holds where they stand. Told by the words alone, with nothing of the code that writes them.
 */
export function lostPointers(
  texts: readonly RequestText[],
  originalOf: (handle: string) => string | null,
): readonly string[] {
  const results = texts.filter(({ isResult }) => isResult).map(({ text }) => text.split("\n"));
  return texts.flatMap(({ text }) =>
    pointersOf(text).flatMap(({ note, here, there, handle }) => {
      const wanted = linesOf((originalOf(handle) ?? "").split("\n"), here);
      const isShown = results.some((lines) => linesOf(lines, there) === wanted);
      return isShown && wanted !== "" ? [] : [note];
    }),
  );
}

export type PointerSaid = {
  readonly note: string;
  readonly here: Range;
  readonly there: Range;
  readonly carrier: string;
  readonly handle: string;
};

type Range = readonly [from: number, to: number];

export function pointersOf(text: string): readonly PointerSaid[] {
  return [...text.matchAll(pointer)].map(([note, from, to, first, last, carrier = "", handle = ""]) => ({
    note,
    here: [Number(from), Number(to)],
    there: [Number(first), Number(last)],
    carrier,
    handle,
  }));
}

const pointer =
  /\[… (\d+)-(\d+): as lines (\d+)-(\d+) of [^\n]*?, ([0-9a-f]{12}); recall handle=([0-9a-f]{12}) startLine=\1 endLine=\2\]/g;

function linesOf(lines: readonly string[], [from, to]: Range): string {
  return lines.slice(from - 1, to).join("\n");
}
