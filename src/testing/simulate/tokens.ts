/**
 * The simulator's tokenizer. It is nobody's real one and it is not ours either: words of up to seven letters are one
 * token, digits go in threes, Chinese, Japanese and Korean signs cost 1.25 each, punctuation goes in pairs only when it
 * repeats or is JSON's own. An agent whose numbers agree with these has calibrated itself on the reported usage.
 */
export function countTokens(text: string): number {
  let count = 0;
  cutTokens(text, () => {
    count += 1;
  });
  return count;
}

/** Calls `take` with the end of each token, in order. */
export function cutTokens(text: string, take: (end: number) => void): void {
  let wide = 0;
  for (let at = 0; at < text.length; ) {
    const cls = classAt(text, at);
    const end = runEnd(text, at, cls);
    take(end);
    if (cls === "wide") {
      wide += 1;
      if (wide % 4 === 0) take(end);
    }
    at = end;
  }
}

type Class = "letter" | "digit" | "blank" | "line" | "wide" | "sign";

const runMax: Readonly<Record<Class, number>> = { letter: 7, digit: 3, blank: 16, line: 2, wide: 1, sign: 2 };
const jsonPairs = new Set(['":', '",', '{"', '["', '"}', '"]', "},", "],", "}]", "()", "=>", "//", "/*", "*/", "&&"]);

function runEnd(text: string, from: number, cls: Class): number {
  // A single blank joins the word after it, as tokenizers do; so prose is cheaper than code.
  let start = from;
  let inner = cls;
  if (cls === "blank" && from + 1 < text.length && classAt(text, from + 1) === "letter") {
    start = from + 1;
    inner = "letter";
  }
  if (inner === "sign") return signEnd(text, from);
  if (inner === "wide") return from + (isHighSurrogate(text.charCodeAt(from)) ? 2 : 1);
  let end = start;
  while (end < text.length && end - start < runMax[inner] && classAt(text, end) === inner) end += 1;
  return end;
}

function signEnd(text: string, from: number): number {
  const pair = text.slice(from, from + 2);
  return pair.length === 2 && (pair[0] === pair[1] || jsonPairs.has(pair)) ? from + 2 : from + 1;
}

function classAt(text: string, at: number): Class {
  const code = text.charCodeAt(at);
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return "letter";
  if (code >= 48 && code <= 57) return "digit";
  if (code === 32 || code === 9) return "blank";
  if (code === 10 || code === 13) return "line";
  if (code < 0x80) return "sign";
  if (code < 0x2e80) return "letter";
  return "wide";
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
