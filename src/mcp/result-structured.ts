import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

/**
 * Whether texts say already what is structured beside them: as its JSON, in whatever spelling, order and company; as the one
 * thing it wraps; or as a rendering that names each member and its value in its order. In doubt they do not.
 */
export function isSaid(structured: unknown, texts: readonly string[]): boolean {
  const said = texts.map((text) => text.trim()).filter((text) => text !== "");
  if (said.length === 0) return false;
  const all = said.join("\n");
  const values = [...said, all].flatMap(jsonIn);
  const wrapped = isRecord(structured) && Object.keys(structured).length === 1 ? Object.values(structured) : [];
  if ([structured, ...wrapped].some((value) => values.some((json) => holds(json, value)))) return true;
  return wrapped.some((value) => isText(value, all) || isList(value, said)) || isRendered(structured, all);
}

/** The JSON a text is, or holds between other words, as in a fence. */
function jsonIn(text: string): readonly unknown[] {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"));
  if (start < 0 || end < start) return [];
  const inside = parseJson(text.slice(start, end + 1));
  return inside.type === "ok" ? [inside.value] : [];
}

/** Equal, but that an object may have more members. */
function holds(json: unknown, value: unknown): boolean {
  if (Array.isArray(value))
    return Array.isArray(json) && json.length === value.length && value.every((item, at) => holds(json[at], item));
  if (!isRecord(value)) return json === value;
  return isRecord(json) && Object.keys(value).every((key) => Object.hasOwn(json, key) && holds(json[key], value[key]));
}

function isText(value: unknown, text: string): boolean {
  return typeof value === "object" ? false : String(value).trim() === text;
}

/** Servers give the items of a list as a text each. */
function isList(value: unknown, texts: readonly string[]): boolean {
  if (!Array.isArray(value) || value.length !== texts.length) return false;
  return value.every(
    (item, at) => isText(item, texts[at] ?? "") || jsonIn(texts[at] ?? "").some((json) => holds(json, item)),
  );
}

/** Each member's name and its value, as words of their own, each behind the one before. */
function isRendered(structured: unknown, text: string): boolean {
  if (!isRecord(structured)) return false;
  const lower = text.toLowerCase();
  let from = 0;
  const finds = (words: string): boolean => {
    for (let at = lower.indexOf(words, from); at >= 0; at = lower.indexOf(words, at + 1)) {
      from = at + words.length;
      if (!isPart(lower, at, from)) return true;
    }
    return false;
  };
  const walk = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.every(walk);
    if (isRecord(value))
      return Object.entries(value).every(([key, member]) => finds(key.toLowerCase()) && walk(member));
    return value === null || value === "" || finds(String(value).trim().toLowerCase());
  };
  return walk(structured);
}

/** Whether a stretch is only part of a word or of a number. */
function isPart(text: string, from: number, to: number): boolean {
  const [first, last] = [text.slice(from, from + 1), text.slice(to - 1, to)];
  const [before, after] = [text.slice(Math.max(0, from - 2), from), text.slice(to, to + 2)];
  if (wordSign.test(first) && wordEnd.test(before)) return true;
  if (wordSign.test(last) && wordSign.test(after)) return true;
  return (/\d/.test(first) && /(?:\d[.,]|-)$/.test(before)) || (/\d/.test(last) && /^[.,]\d/.test(after));
}

const wordSign = /^[\p{L}\p{N}_]/u;
const wordEnd = /[\p{L}\p{N}_]$/u;
