import { bounds } from "../kernel/bounds.ts";
import type { Found, Index, Named, Searched } from "../ports/index-port.ts";
import { countOf } from "./read-lines.ts";
import { linesOfHit } from "./recall-hits.ts";
import { callText, type Part } from "./recall-part.ts";
import { wordsOf } from "./recall-words.ts";

/** Originals of the session that hold the words, best first, with their lines; from that hit (from 1) on. */
export async function searchAll(index: Index, search: string, first: number, signal: AbortSignal): Promise<Part> {
  const words = wordsOf(search);
  if (words.length === 0) return { type: "none", why: `[${JSON.stringify(search.slice(0, 200))} holds no words]` };
  const range = { from: first - 1, limit: bounds.searchHitsMax };
  const result = await index.search(words, range, signal);
  const partial = result.partial === null ? [] : [`[not complete: ${result.partial}]`];
  if (result.hits.length === 0) return { type: "none", why: [nothing(search, result, first), ...partial].join("\n") };
  const shown: string[] = [];
  for (const hit of result.hits) shown.push(...(await hitText(index, hit, words)));
  return { type: "text", text: [...shown, ...partial, endNote(search, result, first, words)].join("\n") };
}

/** Why a handle leads nowhere, and what might have been meant. */
export function whyNotFound(handle: string, found: Exclude<Found, { readonly type: "found" }>): string {
  if (found.type === "lost")
    return `The original ${found.handle} (${nameText(found)}) was kept, but it is missing or damaged on the disk. Run the call again.`;
  if (found.type === "several")
    return `${handle} begins ${countOf(found.handles.length, "handle")}; give more of it:\n${listText(found.handles.slice(0, likeMax))}`;
  const like = found.like.length === 0 ? "" : ` Known here:\n${listText(found.like)}`;
  return `No result with handle ${handle} is known. Take the handle from a note of this session, search for its words, or run the call again.${like}`;
}

const likeMax = 5;
const titleCharsMax = 120;

function nothing(search: string, { searched, found }: Searched, first: number): string {
  if (found > 0) return `[${found} found; none from number ${first} on]`;
  return `[nothing holds ${JSON.stringify(search.slice(0, 200))}; ${countOf(searched, "original")} searched]`;
}

async function hitText(index: Index, hit: Named, words: readonly string[]): Promise<readonly string[]> {
  const found = await index.find(hit.handle);
  return [`[${hit.handle}] ${nameText(hit)}`, ...(found.type === "found" ? linesOfHit(found.text, words) : [])];
}

function endNote(
  search: string,
  { found, foundAll, searched, hits }: Searched,
  first: number,
  words: readonly string[],
): string {
  const last = first + hits.length - 1;
  const all = words.length === 1 ? "" : `, ${foundAll} with all of the words`;
  const next = last < found ? `next: ${callText({ search }, `startLine=${last + 1}`)}` : "recall a handle to see it";
  return `[${first}-${last} of ${found} found in ${countOf(searched, "original")}${all}; ${next}]`;
}

function listText(handles: readonly Named[]): string {
  return handles.map((one) => `[${one.handle}] ${nameText(one)}`).join("\n");
}

function nameText({ tool, title }: Named): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  return `${tool} ${line.length <= titleCharsMax ? line : `${line.slice(0, titleCharsMax).toWellFormed()}…`}`.trim();
}
