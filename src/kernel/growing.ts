/**
 * How a list is made of another, part by part. A cut stands before an item (`at` may be the end of the list): what is made
 * in front of it depends on nothing behind it, and what is made behind it on nothing in front but the state.
 */
export type Growth<In, Out, Context, State> = {
  readonly start: (context: Context) => State;
  /** Left out: before every item and at the end. */
  readonly isCut?: (items: readonly In[], at: number) => boolean;
  /** The state carries on from part to part; what stands behind the last cut must not change it. */
  readonly make: (part: readonly In[], state: State, before: readonly In[]) => readonly Out[];
};

/**
 * The same function for lists that mostly grow, as a conversation does: of a list that begins as the one before it, by
 * reference, only what was added is made. Each list is known by its first item and forgotten with it; one that is not the
 * continuation of what is known is made anew, so the result never depends on what was asked before.
 */
export function growing<In extends object, Out, Context, State>({
  start,
  isCut = () => true,
  make,
}: Growth<In, Out, Context, State>): (items: readonly In[], context: Context) => readonly Out[] {
  type Known = { readonly context: Context; readonly items: In[]; readonly made: Out[]; readonly state: State };
  const memo = new WeakMap<In, Known>();
  return (items, context) => {
    const [first] = items;
    if (first === undefined) return [];
    const found = memo.get(first);
    const known =
      found !== undefined && found.context === context && isContinued(items, found.items)
        ? found
        : { context, items: [], made: [], state: start(context) };
    const from = known.items.length;
    let cut = items.length;
    while (cut > from && !isCut(items, cut)) cut -= 1;
    // Forgotten until it is done: where `make` throws, half of a part may be in the state.
    memo.delete(first);
    const added = items.slice(from, cut);
    for (const out of make(added, known.state, known.items)) known.made.push(out);
    for (const item of added) known.items.push(item);
    memo.set(first, known);
    return cut === items.length
      ? known.made.slice()
      : [...known.made, ...make(items.slice(cut), known.state, known.items)];
  };

  function isContinued(items: readonly In[], known: readonly In[]): boolean {
    const at = known.length;
    return startsWith(items, known) && (at === 0 || at === items.length || isCut(items, at));
  }
}

function startsWith<T>(items: readonly T[], start: readonly T[]): boolean {
  if (items.length < start.length) return false;
  for (let at = start.length - 1; at >= 0; at -= 1) if (items[at] !== start[at]) return false;
  return true;
}
