import { indexLines } from "../digest/line-index.ts";
import { bounds } from "../kernel/bounds.ts";
import { windowAround } from "./window.ts";

/** `N<tab>line` of each line that holds the text; of long lines the surroundings of the text. */
export function searchLines(text: string, wanted: string): string {
  const lines = indexLines(text);
  const shown: string[] = [];
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; ) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const end = text.indexOf("\n", at + wanted.length);
    if (++count <= bounds.matchesDefault) {
      const line = text.slice(start, end < 0 ? text.length : end);
      shown.push(`${lines.lineAt(start) + 1}\t${windowAround(line, at - start, at - start + wanted.length)}`);
    }
    at = end < 0 ? -1 : text.indexOf(wanted, end);
  }
  if (count === 0) return `[no line holds ${JSON.stringify(wanted.slice(0, 200))}]`;
  const note = `[${shown.length} of ${count} lines shown; search for more of the text]`;
  return (count > shown.length ? [...shown, note] : shown).join("\n");
}
