/** Any value JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * JSON with object keys in code-unit order at every depth (whole numbers first, as objects have them) and no white space,
 * so that equal values have equal bytes whatever built them and in whatever locale (CASES C-031). `undefined` members are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, member: unknown) => (isRecord(member) ? sorted(member) : member));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(record).sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, record[key]]));
}
