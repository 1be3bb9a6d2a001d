import { stemOf } from "./retrieval-stem.ts";

/**
 * The terms of a text, in order, as the index and the ranking compare them: words and the parts of identifiers, shortened to
 * their stems; identifiers of several parts also whole, written together, so that `run_target`, `runTarget` and `run-target`
 * are one term. Chinese, Japanese and Thai, where no blanks stand between words: each two neighbours.
 */
export function termsOf(text: string, stem: (word: string) => string = stemOf): readonly string[] {
  const terms: string[] = [];
  for (const { parts, whole } of wordsOf(text)) {
    for (const part of parts) terms.push(stem(part));
    if (whole !== null) terms.push(whole);
  }
  return terms;
}

/** Stems that are remembered, for many texts: a project says the same few thousand words over and over. */
export function rememberedStems(): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const stem = stemOf(word);
    if (known.size >= stemsMax) known.clear();
    known.set(word, stem);
    return stem;
  };
}

const stemsMax = 50_000;

/** A word as it is written, its parts in lower case, and written together where there are several. */
export type Word = { readonly written: string; readonly parts: readonly string[]; readonly whole: string | null };

export function wordsOf(text: string): readonly Word[] {
  // Most code is ASCII, and most of that small words: these ways are only shorter.
  if (!/[^\0-\x7f]/.test(text)) return (text.match(asciiRuns) ?? []).map(wordOf);
  const words: Word[] = [];
  for (const [written] of text.normalize("NFKC").matchAll(runs)) {
    if (unspaced.test(written)) words.push(...neighboursOf(written));
    else words.push(wordOf(written));
  }
  return words;
}

const asciiRuns = /[A-Za-z0-9_$]+(?:-[A-Za-z0-9_$]+)*/g;
const unspacedScripts = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
const unspacedChar = `[[${unspacedScripts}]--\\p{ASCII}]`;
const unspaced = new RegExp(`^${unspacedChar}`, "v");
const spacedChar = `[[\\p{L}\\p{N}\\p{M}_$]--[[${unspacedScripts}]--\\p{ASCII}]]`;
const runs = new RegExp(
  `${unspacedChar}+|${spacedChar}+(?:-${spacedChar}+)*|[\\p{Extended_Pictographic}--\\p{ASCII}]`,
  "gv",
);

function neighboursOf(written: string): readonly Word[] {
  const chars = [...written];
  if (chars.length === 1) return [{ written, parts: chars, whole: null }];
  return chars.slice(1).map((char, at) => {
    const pair = `${chars[at] ?? ""}${char}`;
    return { written: pair, parts: [pair], whole: null };
  });
}

function wordOf(written: string): Word {
  if (/^[a-z]+$/.test(written)) return { written, parts: [written], whole: null };
  const parts = written
    .replace(humps, " ")
    .toLowerCase()
    .split(separators)
    .filter((part) => part !== "");
  return { written, parts, whole: parts.length > 1 ? parts.join("") : null };
}

/** Where a capital begins a part, also the last of a row of them (`HTTPServer`), and between letters and digits. */
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const separators = /[\s_$-]+/;
