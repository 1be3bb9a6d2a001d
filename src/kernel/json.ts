export type Parsed = { readonly type: "ok"; readonly value: unknown } | { readonly type: "bad"; readonly why: string };

/** `JSON.parse` as a value: bad input is expected at every boundary, so it is not an exception. */
export function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    return { type: "ok", value };
  } catch (error) {
    return { type: "bad", why: error instanceof Error ? error.message : String(error) };
  }
}
