import { isRecord } from "../kernel/canonical.ts";
import { type JsonNode, JsonSpanError, memberOf, rawText, scanJson } from "../kernel/json-spans.ts";
import { type Ranked, sampleOf } from "./json-sample.ts";

/** The list that a JSON value is mostly made of, and the keys that lead to it. */
export type MainList = { readonly keys: readonly string[]; readonly items: readonly unknown[] };

/** The value itself, or the longest list in it or in one of its members; null: there is none. */
export function mainList(value: unknown, keys: readonly string[] = []): MainList | null {
  if (Array.isArray(value)) return { keys, items: value };
  if (!isRecord(value) || keys.length >= depthMax) return null;
  const lists = Object.entries(value).flatMap(([key, member]) =>
    /^\w+$/.test(key) ? (mainList(member, [...keys, key]) ?? []) : [],
  );
  return lists.reduce<MainList | null>(
    (most, list) => (list.items.length > (most?.items.length ?? 0) ? list : most),
    null,
  );
}

/** Deeper down a list is one of many. */
const depthMax = 3;

/** Of a long list how many items it has, and how more of them are had, whole; null: it is not so long. */
export function listSaid({ keys, items }: MainList, shown: readonly number[]): string | null {
  if (items.length < shown.length + manyMin) return null;
  const gap = shown.findIndex((index, at) => index !== at);
  const from = gap < 0 ? shown.length : gap;
  const to = Math.min(items.length, from + manyMin);
  return `${items.length} items, whole ones by jsonPath=${["$", ...keys].join(".")}[${from}:${to}]`;
}

const manyMin = 50;

/**
 * A long list as some of its items, each as it was written: for JSON whose numbers reading would change. null: it is no list
 * of items that fit.
 */
export function rawList(
  text: string,
  list: MainList,
  ranked: Ranked,
): (charsMax: number) => { readonly text: string; readonly said: string } | null {
  const bytes = new TextEncoder().encode(text);
  const nodes = itemsIn(bytes, list.keys);
  const rawAt = (index: number) => {
    const node = nodes[index];
    return node === undefined ? "" : rawText(bytes, node.span);
  };
  return (charsMax) => {
    let left = charsMax - bracketChars;
    const best: Ranked["best"][number][] = [];
    for (const one of ranked.best) {
      const chars = rawAt(one.index).length + gapChars;
      if (chars > left) continue;
      left -= chars;
      best.push(one);
    }
    const shown = sampleOf({ ...ranked, best }, best.length).map(({ index }) => index);
    const said = listSaid(list, shown);
    if (shown.length === 0 || said === null) return null;
    const out: string[] = [];
    for (const [at, index] of [...shown, list.items.length].entries()) {
      const gap = index - ((shown[at - 1] ?? -1) + 1);
      if (gap > 0) out.push(`"… ${gap} more items left out …"`);
      if (at < shown.length) out.push(rawAt(index));
    }
    const opened = list.keys.map((key) => `{${JSON.stringify(key)}:`).join("");
    const closed = list.keys.map(() => `,"…":"other members left out"}`).join("");
    return { text: `${opened}[${out.join(",\n")}]${closed}`, said: `${said}; items as they were written` };
  };
}

/** What stands around an item, and around all of them. */
const gapChars = 20;
const bracketChars = 120;

function itemsIn(bytes: Uint8Array, keys: readonly string[]): readonly JsonNode[] {
  try {
    const list = keys.reduce<JsonNode | undefined>(memberOf, scanJson(bytes));
    return list?.type === "array" ? list.items : [];
  } catch (error) {
    // It parses, so all that can be is that it is nested too deep.
    if (error instanceof JsonSpanError) return [];
    throw error;
  }
}
