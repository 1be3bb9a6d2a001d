/** What was made for an object is made once, and forgotten with it: a value that depends on nothing but its key. */
export function madeOnce<K extends object, V>(): (key: K, make: () => V) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = make();
    known.set(key, { value });
    return value;
  };
}
