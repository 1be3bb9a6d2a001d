/** A message that calls a command by name; `typed`: what stands behind the name, as typed. */
export type CommandLine = { readonly name: string; readonly typed: string };

/**
 * `/name` of letters, digits, `-`, `_` and `:` at the very start, then nothing or white space; anything else is ordinary text,
 * `/etc/hosts is wrong` for one. Whether `/etc` is a folder rather than a command is for the caller to see.
 */
export function commandLine(text: string): CommandLine | null {
  const found = /^\/([\p{L}\p{N}_-][\p{L}\p{N}_:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trimEnd());
  return found === null ? null : { name: found[1] ?? "", typed: (found[2] ?? "").trim() };
}

/** `//x` is the text `/x`: the way to say something that would be a command. */
export function literalSlash(text: string): string | null {
  return text.startsWith("//") && commandLine(text.slice(1)) !== null ? text.slice(1) : null;
}

/** Names that were likely meant, the likeliest first. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase();
  const ranked = [...new Set(names)].map((one) => {
    const other = one.toLowerCase();
    const last = other.slice(other.lastIndexOf(":") + 1);
    const isPart = wanted.length > 1 && (other.startsWith(wanted) || wanted.startsWith(other) || last === wanted);
    return { one, far: isPart ? 0 : Math.min(distance(wanted, other), distance(wanted, last)) };
  });
  const most = Math.max(1, Math.floor(wanted.length / 3));
  return ranked
    .filter(({ far }) => far <= most)
    .toSorted((a, b) => a.far - b.far || (a.one < b.one ? -1 : 1))
    .slice(0, 3)
    .map(({ one }) => one);
}

/** Letters to change, add, take away, or swap with the next one. Names are short. */
export function distance(a: string, b: string): number {
  let [before, row] = [
    [] as readonly number[],
    Array.from({ length: b.length + 1 }, (_, at) => at) as readonly number[],
  ];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changed = Math.min((row[j - 1] ?? 0) + same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(swapped ? Math.min(changed, (before[j - 2] ?? 0) + 1) : changed);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
