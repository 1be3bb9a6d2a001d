import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { cutLines } from "./cut-lines.ts";
import { kindOf } from "./kinds.ts";
import { indexLines } from "./line-index.ts";
import { contentNote } from "./notes.ts";
import { charsOf } from "./text.ts";
import type { Cut } from "./under-cap.ts";

/** A page that stands as a text in JSON, as some tools pack it: shown as the page it is. null: there is none. */
export function cutPacked(cut: Cut): string | null {
  const { input, kind } = cut;
  const { text } = input;
  if (kind !== "json" || text.length > charsMax || !looksPacked.test(text.slice(0, lookedAt))) return null;
  const parsed = parseJson(text);
  const found = parsed.type === "ok" ? longestText(parsed.value, "$", 0) : null;
  if (found === null || found.text.length < text.length * shareMin) return null;
  if (kindOf({ tool: "", form: "output" }, found.text) !== "snapshot") return null;
  const shown = cutLines({ ...cut, kind: "snapshot", input: { ...input, text: found.text } });
  const lines = indexLines(text).count;
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${charsOf(text)} characters`;
  const note = `[${size} in all; the rest: recall handle=${input.handle} search="a name"; truncated: shown is the text at ${found.path}, by its own lines; ${contentNote(input)}]`;
  return [...shown.split("\n").slice(0, -1), note].join("\n");
}

const charsMax = 1_000_000;
const lookedAt = 8_000;
const looksPacked = /\\n\s*(?:- [a-z]+|uid=)/;
const shareMin = 0.6;

type Packed = { readonly path: string; readonly text: string };

function longestText(value: unknown, path: string, depth: number): Packed | null {
  if (typeof value === "string") return { path, text: value };
  if (depth >= depthMax || !(Array.isArray(value) || isRecord(value))) return null;
  const inside = Object.entries(value).flatMap(([key, member]) => {
    const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    return longestText(member, place, depth + 1) ?? [];
  });
  return inside.reduce<Packed | null>((most, one) => (one.text.length > (most?.text.length ?? 0) ? one : most), null);
}

const depthMax = 5;
