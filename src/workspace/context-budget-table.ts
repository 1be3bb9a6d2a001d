export type BudgetUnit = "tokens" | "rounds" | "percent";

/** A row of a table of caps; lines count from 1. */
export type BudgetRow = { readonly line: number; readonly what: string; readonly cap: string };

/** The rows of all tables whose header is `what` and `cap`; null: there is no such table. Other tables are somebody else's. */
export function rowsOf(text: string): readonly BudgetRow[] | null {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const rows: BudgetRow[] = [];
  let found = false;
  let fenced = false;
  let inTable = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced || !line.includes("|")) {
      inTable = false;
      continue;
    }
    const cells = cellsOf(line);
    if (isRuler(cells)) continue;
    if (!inTable && isRuler(cellsOf(lines[index + 1] ?? ""))) {
      inTable = isHeader(cells);
      found ||= inTable;
    } else if (inTable) rows.push({ line: index + 1, what: plain(cells[0] ?? ""), cap: plain(cells[1] ?? "") });
  }
  return found ? rows : null;
}

function cellsOf(line: string): readonly string[] {
  const inside = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inside.split("|").map((cell) => cell.trim());
}

function isRuler(cells: readonly string[]): boolean {
  return cells.length > 1 && cells.every((cell) => /^:?-+:?$/.test(cell));
}

function isHeader([what = "", cap = ""]: readonly string[]): boolean {
  return (
    /^(?:what|item|part|name|row|部分|项目?)$/i.test(plain(what)) &&
    /^(?:cap|caps|limit|max|maximum|budget|上限)$/i.test(plain(cap))
  );
}

/** Without the marks of emphasis and code. */
function plain(cell: string): string {
  return cell
    .replaceAll(/[`*]|(?<!\w)_+|_+(?!\w)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
