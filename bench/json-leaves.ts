import { parseJson } from "../src/kernel/json.ts";

/**
 * The single values of a JSON text, each with the keys that lead to it, as far as the text goes: where it breaks off, the
 * values before are there and those behind are not, since nothing says whose they are. Items of a list share a path.
 */
export function jsonLeaves(text: string): readonly { readonly path: string; readonly value: string }[] {
  const leaves: { readonly path: string; readonly value: string }[] = [];
  const path: string[] = [];
  /** Open objects and lists; the key an object is at. */
  const open: ("{" | "[")[] = [];
  let key: string | null = null;
  const token = /\s*(?:("(?:[^"\\]|\\.)*")|([{}[\],:])|([^\s{}[\],:"]+))/gy;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, string, sign, word] = found;
    if (sign === "{" || sign === "[") {
      open.push(sign);
      path.push(key ?? "");
      key = null;
    } else if (sign === "}" || sign === "]") {
      open.pop();
      path.pop();
      key = null;
    } else if (sign === ",") key = null;
    else if (sign === undefined) {
      const isKey = open.at(-1) === "{" && key === null;
      // A number at the very end may go on behind it.
      if (word !== undefined && token.lastIndex === text.length && open.length > 0) break;
      if (isKey) key = textOf(string ?? word ?? "");
      else
        leaves.push({
          path: [...path, key ?? ""].join("/"),
          value: string === undefined ? (word ?? "") : textOf(string),
        });
    }
  }
  return leaves;
}

function textOf(literal: string): string {
  const parsed = literal.startsWith('"') ? parseJson(literal) : null;
  return parsed?.type === "ok" ? String(parsed.value) : literal;
}
