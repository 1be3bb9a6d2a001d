import { isRecord } from "../kernel/canonical.ts";

/** The list that a JSON value is mostly made of, and where it stands, as `recall` is asked for it. */
export type MainList = { readonly path: string; readonly items: readonly unknown[] };

/** The value itself, or the longest list in it or in one of its members; null: there is none. */
export function mainList(value: unknown, path = "$", depth = 0): MainList | null {
  if (Array.isArray(value)) return { path, items: value };
  if (!isRecord(value) || depth >= depthMax) return null;
  const lists = Object.entries(value).flatMap(([key, member]) =>
    /^\w+$/.test(key) ? (mainList(member, `${path}.${key}`, depth + 1) ?? []) : [],
  );
  return lists.reduce<MainList | null>(
    (most, list) => (list.items.length > (most?.items.length ?? 0) ? list : most),
    null,
  );
}

/** Deeper down a list is one of many. */
const depthMax = 3;
