import type { SecretValue } from "./secret-values.ts";

/** A stretch of a text that a mask takes the place of. `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number; readonly name: string };

/** Finds known values in a text, also where line ends stand inside them. */
export type Known = {
  find(text: string): readonly Span[];
  /** Where a value begins that the text's end cuts off; the text's length when there is none. */
  cutAt(text: string): number;
};

/** Linear in the text: a value is compared only where its first four characters stand. */
export function knownValues(values: readonly SecretValue[]): Known {
  const byBeginning = new Map<number, SecretValue[]>();
  const byFirst = new Map<string, SecretValue[]>();
  let charsMax = 0;
  for (const one of values) {
    const { value } = one;
    put(byBeginning, keyOf(value.charCodeAt(0), value.charCodeAt(1), value.charCodeAt(2), value.charCodeAt(3)), one);
    put(byFirst, value.charAt(0), one);
    charsMax = Math.max(charsMax, value.length);
  }
  const begins = new Uint8Array(65_536);
  for (const key of byBeginning.keys()) begins[key & 0xffff] = 1;

  return {
    find(text) {
      if (values.length === 0) return [];
      const spans: Span[] = [];
      // Plain variables: this is the one loop that every character of every output goes through.
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      let froms = 0;
      const from = new Int32Array(4);
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === lineFeed) continue;
        a = b;
        b = c;
        c = d;
        d = code;
        from[froms & 3] = at;
        froms += 1;
        const key = keyOf(a, b, c, d);
        if (froms < 4 || begins[key & 0xffff] === 0) continue;
        const to = longest(text, at + 1, byBeginning.get(key) ?? []);
        if (to !== null) spans.push({ from: from[froms & 3] ?? at, to: to.to, name: to.name });
      }
      return spans;
    },
    cutAt(text) {
      // Twice: line ends may stand between.
      for (let at = Math.max(0, text.length - 2 * charsMax); at < text.length; at += 1) {
        const candidates = byFirst.get(text.charAt(at)) ?? [];
        if (candidates.some(({ value }) => compare(text, at, value, 0) === "cut off")) return at;
      }
      return text.length;
    },
  };
}

const lineFeed = 10;

function longest(text: string, at: number, values: readonly SecretValue[]): Pick<Span, "to" | "name"> | null {
  let best: Pick<Span, "to" | "name"> | null = null;
  for (const { name, value } of values) {
    const to = compare(text, at, value, 4);
    if (typeof to === "number" && to > (best?.to ?? 0)) best = { to, name };
  }
  return best;
}

/** Where the value ends that goes on at `at` with its character `from`; "cut off" where the text ends first. */
function compare(text: string, at: number, value: string, from: number): number | "cut off" | null {
  let here = at;
  for (let index = from; index < value.length; index += 1) {
    // A wrapped line has one line end, never an empty line.
    if (text.charCodeAt(here) === lineFeed) here += 1;
    if (here >= text.length) return "cut off";
    if (text.charCodeAt(here) !== value.charCodeAt(index)) return null;
    here += 1;
  }
  return here;
}

function keyOf(a: number, b: number, c: number, d: number): number {
  return (Math.imul(Math.imul(Math.imul(a, 31) + b, 31) + c, 31) + d) | 0;
}

function put<K>(map: Map<K, SecretValue[]>, key: K, value: SecretValue): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
