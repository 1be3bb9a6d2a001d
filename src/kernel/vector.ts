/**
 * A persistent list that only grows: `push` shares all full chunks with the list before it, so keeping a list of n
 * items in an immutable state costs O(chunk) per item, not O(n). Plain data: it survives `JSON` as it is.
 */
export type Vector<T> = { readonly full: readonly (readonly T[])[]; readonly tail: readonly T[] };

const chunkSize = 64;

export const emptyVector: Vector<never> = { full: [], tail: [] };

export function push<T>(list: Vector<T>, item: T): Vector<T> {
  if (list.tail.length < chunkSize) return { full: list.full, tail: [...list.tail, item] };
  return { full: [...list.full, list.tail], tail: [item] };
}

/** Oldest first. */
export function* itemsOf<T>(list: Vector<T>): Iterable<T> {
  for (const part of list.full) yield* part;
  yield* list.tail;
}
