import { bounds } from "../kernel/bounds.ts";
import type { Json } from "../kernel/canonical.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import { isJsonRecord } from "./schema-ref.ts";

export type Passed = { readonly type: "ok"; readonly input: Json } | { readonly type: "bad"; readonly why: string };

/**
 * The input of a server's call with stored results in it: `{"$recall": "<handle>"}`, anywhere and with no other key, stands for
 * all the text of that result, which is passed on without ever being in the prompt (CASES C-043). It is put in as a text;
 * where the tool wants an object or a list, checking the arguments reads it as JSON, as it does any text there.
 */
export async function passedInput(input: Json, original: (handle: string) => Promise<string | null>): Promise<Passed> {
  if (isTooDeep(input)) return { type: "bad", why: `the input is ${tooDeep}` };
  const texts = new Map<string, string>();
  const unknown: string[] = [];
  for (const handle of handlesIn(input)) {
    const text = await original(handle);
    if (text === null) unknown.push(JSON.stringify(handle.slice(0, quotedCharsMax)));
    else texts.set(handle, text);
  }
  if (unknown.length > 0) return { type: "bad", why: `no result has the handle ${unknown.join(", ")} of $recall` };
  let chars = 0;
  const replaced = (value: Json): Json => {
    const handle = handleOf(value);
    if (handle !== null) {
      const text = texts.get(handle) ?? "";
      chars += text.length;
      return text;
    }
    if (isList(value)) return value.map(replaced);
    if (!isJsonRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, member === undefined ? member : replaced(member)]),
    );
  };
  const made = texts.size === 0 ? input : replaced(input);
  if (chars <= bounds.captureBytesMax) return { type: "ok", input: made };
  return {
    type: "bad",
    why: `what $recall passes on is ${chars} characters; at most ${bounds.captureBytesMax} can be`,
  };
}

const quotedCharsMax = 80;

function handlesIn(input: Json): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: Json | undefined): void => {
    if (value === undefined) return;
    const handle = handleOf(value);
    if (handle !== null) found.add(handle);
    else if (isList(value)) value.forEach(look);
    else if (isJsonRecord(value)) Object.values(value).forEach(look);
  };
  look(input);
  return found;
}

/** As people and models quote it from a note, `[a1b2c3]` and `handle=a1b2c3` too; null: it is something else. */
function handleOf(value: Json): string | null {
  if (!isJsonRecord(value) || Object.keys(value).length !== 1 || typeof value.$recall !== "string") return null;
  const said = value.$recall.trim();
  // The pattern goes back and forth over spaces: what is too long for a handle is none, and never looked at.
  const [, handle = ""] = said.length > quotedCharsMax ? [] : (/^(?:handle=)?\[?([^\]]*)\]?$/.exec(said) ?? []);
  return (handle === "" ? said : handle).trim().toLowerCase();
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
