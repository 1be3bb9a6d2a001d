/** A record's own value under a key from outside: `constructor` and the like are names too, and nobody put them there. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
