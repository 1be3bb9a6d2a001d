/** The same for each text, but worked out once for those that come again; as long as the function lives. */
export function onceEach<T extends object | string | null>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = work(text);
    known.set(text, made);
    return made;
  };
}
