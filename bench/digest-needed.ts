import { parseJson } from "../src/kernel/json.ts";
import type { Output } from "./digest-data.ts";
import { jsonLeaves } from "./json-leaves.ts";
import { type Line, readingOf } from "./questions/reading.ts";

/**
 * Which of the needed strings a text still shows, in the order in which they are needed. A string counts only inside its
 * whole original line; of JSON with all keys that lead to it and its whole value; of a table with the header.
 */
export function shownOf(output: Pick<Output, "text" | "needed">): (text: string) => readonly boolean[] {
  const { text, needed } = output;
  const isJson = parseJson(text).type === "ok" && /^\s*[[{]/.test(text);
  const places = isJson ? jsonPlaces(text) : linePlaces(text);
  return (shown) => {
    const there = isJson ? new Set(jsonPlaces(beforeGap(shown)).map(({ key }) => key)) : linesShown(shown);
    const visible = places.filter(({ key, with: header }) => there.has(key) && (header === null || there.has(header)));
    return needed.map((one) => visible.some(({ holds }) => holds.includes(one)));
  };
}

/** Strings that no line of the output holds whole cannot be kept by anything and are not counted. */
export function countable(output: Pick<Output, "text" | "needed">): readonly string[] {
  const found = shownOf(output)(output.text);
  return output.needed.filter((_, at) => found[at]);
}

type Place = { readonly key: string; readonly holds: string; readonly with: string | null };

function jsonPlaces(text: string): readonly Place[] {
  return jsonLeaves(text).map(({ path, value }) => ({
    key: `${path}\n${value}`,
    holds: `${path.slice(path.lastIndexOf("/") + 1)}\n${value}`,
    with: null,
  }));
}

function linePlaces(text: string): readonly Place[] {
  const { lines } = readingOf(text);
  let header: string | null = null;
  return lines.map((line, at) => {
    if (!isRow(line)) header = null;
    else if (header === null && isRow(lines[at + 1])) header = keyOf(line);
    return { key: keyOf(line), holds: line.text, with: header };
  });
}

function isRow(line: Line | undefined): boolean {
  return line !== undefined && /^\s*\|.*\|\s*$/.test(line.text);
}

function linesShown(text: string): ReadonlySet<string> {
  return new Set(
    readingOf(text)
      .lines.filter((line) => !line.cut)
      .map(keyOf),
  );
}

function keyOf({ text }: Line): string {
  return text.trimEnd();
}

/** Behind a gap nothing says which keys a value stands under. */
function beforeGap(text: string): string {
  const shown: string[] = [];
  const { lines, reshaped } = readingOf(text);
  if (reshaped !== null) return lines.map((line) => line.text).join("\n");
  for (const line of lines) {
    if (line.afterGap) break;
    shown.push(line.cut ? line.text.slice(0, line.text.indexOf("[… line ")) : line.text);
    if (line.cut) break;
  }
  return shown.join("\n");
}
