import { commonestOf, type Question } from "./question.ts";
import type { Line, Reading } from "./reading.ts";

/** Rows under a header: of Markdown, of commas or tabs, or of columns under capitals. */
export const table: readonly Question[] = [
  ofTable("the header", ({ header }) => header.join(", ")),
  ofTable("how many columns", ({ header }) => String(header.length)),
  ofAllRows("how many rows", (rows) => String(rows.length)),
  ...[0, 1, 2, 3, 4].map((at) => ofTable(`row ${at + 1}`, ({ rows }) => rows[at]?.join(", ") ?? null)),
  ...[1, 2, 3].map((back) => ofAllRows(`row ${back} from the end`, (rows) => rows.at(-back)?.join(", ") ?? null)),
  ...[0, 1, 2].map((column) =>
    ofTable(`the first value of column ${column + 1}`, ({ rows }) => rows[0]?.[column] ?? null),
  ),
  ...[0, 1].map((column) =>
    ofAllRows(`how many different values column ${column + 1} has`, (rows) =>
      String(new Set(rows.map((row) => row[column])).size),
    ),
  ),
  ofAllRows("the commonest value of the last column", (rows) => commonestOf(rows.map((row) => row.at(-1) ?? ""))),
  ofAllRows("the largest number", (rows) => extremeOf(rows, Math.max)),
  ofAllRows("the smallest number", (rows) => extremeOf(rows, Math.min)),
  ofAllRows("how many cells are empty", (rows) => String(rows.flat().filter((cell) => cell === "").length)),
  ofTable("the value of the second column for the first key", ({ rows }) => rows[0]?.[1] ?? null),
  ofTable("the name of the last column", ({ header }) => header.at(-1) ?? null),
];

type Rows = readonly (readonly string[])[];

type Table = {
  readonly header: readonly string[];
  /** Those before the first gap. */
  readonly rows: Rows;
  /** The table ends here, and nothing of it is left out. */
  readonly whole: boolean;
};

function ofTable(name: string, answer: (table: Table) => string | null): Question {
  return {
    name,
    answer: (reading) => {
      const found = tableIn(reading);
      return found === null ? null : answer(found);
    },
  };
}

/** What only a table that ends where it ended can tell. */
function ofAllRows(name: string, answer: (rows: Rows) => string | null): Question {
  return ofTable(name, ({ rows, whole }) => (whole ? answer(rows) : null));
}

/** The first table, which nothing that is left out may come before. */
export function tableIn({ lines, openEnd }: Reading): Table | null {
  for (const [at, line] of lines.entries()) {
    if (line.afterGap || line.cut) return null;
    for (const { cells, skips } of shapes) {
      const header = cells(line.text);
      if (header === null || !isHeader(header, line.text, lines, at + skips, cells)) continue;
      return tableBelow(header, lines, at + 1 + skips, cells, openEnd);
    }
  }
  return null;
}

type Cells = (line: string) => readonly string[] | null;

const shapes: readonly { readonly cells: Cells; readonly skips: number }[] = [
  { cells: barred, skips: 1 },
  { cells: spaced, skips: 0 },
  { cells: (line) => separated(line, "\t"), skips: 0 },
  { cells: (line) => separated(line, ","), skips: 0 },
];

function barred(line: string): readonly string[] | null {
  const inner = /^\s*\|(.+)\|\s*$/.exec(line)?.[1];
  return inner === undefined ? null : inner.split("|").map((cell) => cell.trim());
}

function spaced(line: string): readonly string[] | null {
  const cells = line.trim().split(/\s{2,}/);
  return cells.length >= 2 ? cells : null;
}

function separated(line: string, by: string): readonly string[] | null {
  const cells = line.split(by);
  return cells.length >= 3 && !cells.some((cell) => /^\s/.test(cell)) ? cells.map((cell) => cell.trim()) : null;
}

/** What makes a first line a header: the rule below it, its capitals, or a row with as many plain names as columns. */
function isHeader(header: readonly string[], text: string, lines: readonly Line[], at: number, cells: Cells): boolean {
  const below = lines[at]?.text ?? "";
  if (cells === barred) return /^\s*\|[\s:|-]+\|\s*$/.test(below);
  if (cells === spaced) return text === text.toUpperCase() && header.every((cell) => /^[A-Z][A-Z ()%#_-]*$/.test(cell));
  const row = cells(lines[at + 1]?.text ?? "");
  return header.every((cell) => /^[\w .-]{1,40}$/.test(cell)) && row?.length === header.length;
}

function tableBelow(
  header: readonly string[],
  lines: readonly Line[],
  from: number,
  cells: Cells,
  openEnd: boolean,
): Table {
  const rows: (readonly string[])[] = [];
  for (const line of lines.slice(from)) {
    if (line.afterGap || line.cut) return { header, rows, whole: false };
    const row = cells(line.text);
    if (row === null) return { header, rows, whole: true };
    rows.push(row);
  }
  return { header, rows, whole: !openEnd };
}

function extremeOf(rows: Rows, pick: (a: number, b: number) => number): string | null {
  const numbers = rows
    .flat()
    .filter((cell) => /^-?[\d.]+$/.test(cell))
    .map(Number);
  return numbers.length === 0 ? null : String(numbers.reduce((a, b) => pick(a, b)));
}
