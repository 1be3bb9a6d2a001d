import type { Judge } from "./form.ts";
import { isUsable, type PageLine, pageLine } from "./page-line.ts";

/**
 * What can be clicked or filled first, then what is said; boxes without a name last.
 * Of many elements in one place of the tree, as the rows of a table have them, the later ones are worth less and less, so
 * that the one button behind them is not left out.
 */
export function snapshotJudge(): Judge {
  const open: { readonly indent: number; readonly place: number }[] = [];
  const places = new Map<string, number>();
  const times: number[] = [];
  const rankOf = ({ indent, role }: PageLine): number => {
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const key = `${open.at(-1)?.place ?? -1} ${role}`;
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    open.push({ indent, place });
    times[place] = (times[place] ?? 0) + 1;
    return (times[place] ?? 1) - 1;
  };
  return (line) => {
    const element = pageLine(line);
    if (element === null) return worthAround(line);
    return worthOf(line, element) / (1 + (rankOf(element) / halfRank) ** 2);
  };
}

/** As many in one place, and the next is worth half of the first. */
const halfRank = 16;

function worthAround(line: string): number {
  if (/^### |^#+ |^- Page |Console: /.test(line)) return 3;
  return /^\s*- \/url:/.test(line) ? 0.5 : /"[^"]+"|: \S/.test(line) ? 1 : 0.1;
}

function worthOf(line: string, element: PageLine): number {
  if (isUsable(element) || news.has(element.role)) return 4;
  if (element.role === "heading") return 3;
  return /"[^"]+"|: \S/.test(line) ? 1 : 0.1;
}

const news: ReadonlySet<string> = new Set(["dialog", "alert", "alertdialog", "status"]);
