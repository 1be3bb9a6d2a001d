import { linesOf } from "../digest/first-form.ts";
import { bounds } from "../kernel/bounds.ts";
import { windowAround } from "./window.ts";

/** `N<tab>line` of each line that holds the text; of long lines the surroundings of the text. */
export function searchLines(text: string, wanted: string): string {
  const shown: string[] = [];
  let count = 0;
  linesOf(text).forEach((line, index) => {
    const at = line.indexOf(wanted);
    if (at < 0) return;
    if (++count <= bounds.matchesDefault) shown.push(`${index + 1}\t${windowAround(line, at, at + wanted.length)}`);
  });
  if (count === 0) return `[no line holds ${JSON.stringify(wanted.slice(0, 200))}]`;
  return count > shown.length
    ? [...shown, `[${shown.length} of ${count} lines shown; search for more of the text]`].join("\n")
    : shown.join("\n");
}
