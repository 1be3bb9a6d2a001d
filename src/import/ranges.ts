type Range = readonly [from: number, to: number];

export type Ranges = ReturnType<typeof rangesOf>;

/** Which item numbers each record of a file became, for restarts that keep some of them. */
export function rangesOf() {
  const list: { readonly id: string; readonly range: Range }[] = [];
  return {
    /** A record that became nothing has no range. */
    add: (id: string, from: number, to: number): void => {
      if (to >= from) list.push({ id, range: [from, to] });
    },
    without: (isGone: (id: string) => boolean): readonly Range[] =>
      joined(list.filter((one) => !isGone(one.id)).map((one) => one.range)),
    of: (ids: readonly string[]): readonly Range[] => {
      const wanted = new Set(ids);
      return joined(list.filter((one) => wanted.has(one.id)).map((one) => one.range));
    },
  };
}

/** Ranges that follow each other become one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const out: Range[] = [];
  for (const [from, to] of ranges) {
    const last = out.at(-1);
    if (last !== undefined && last[1] + 1 === from) out[out.length - 1] = [last[0], to];
    else out.push([from, to]);
  }
  return out;
}
