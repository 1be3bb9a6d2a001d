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
  let wides = 0;
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    take(end);
    if (classAt(text, at) === wide) {
      wides += 1;
      if (wides % 4 === 0) take(end);
    }
    at = end;
  }
}

/** Classes of signs, as numbers because this is the simulator's innermost loop. */
const [letter, digit, blank, line, sign, wide] = [0, 1, 2, 3, 4, 5] as const;
const runMax = [7, 3, 16, 2, 2, 1] as const;
const classes = Uint8Array.from({ length: 128 }, (_, code) => asciiClass(code));
const jsonPairs = new Set(['":', '",', '{"', '["', '"}', '"]', "},", "],", "}]", "()", "=>", "//", "/*", "*/", "&&"]);

function tokenEnd(text: string, from: number): number {
  let start = from;
  let cls = classAt(text, from);
  // A single blank joins the word after it, as tokenizers do; so prose is cheaper than code.
  if (cls === blank && from + 1 < text.length && classAt(text, from + 1) === letter) {
    start = from + 1;
    cls = letter;
  }
  if (cls === sign) return signEnd(text, from);
  if (cls === wide) return from + (isHighSurrogate(text.charCodeAt(from)) ? 2 : 1);
  const last = Math.min(text.length, start + (runMax[cls] ?? 1));
  let end = start + 1;
  while (end < last && classAt(text, end) === cls) end += 1;
  return end;
}

function signEnd(text: string, from: number): number {
  if (text.charCodeAt(from) === text.charCodeAt(from + 1)) return from + 2;
  return jsonPairs.has(text.slice(from, from + 2)) ? from + 2 : from + 1;
}

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) return classes[code] ?? sign;
  return code < 0x2e80 ? letter : wide;
}

function asciiClass(code: number): number {
  const found = String.fromCharCode(code);
  if (/[a-z]/i.test(found)) return letter;
  if (/[0-9]/.test(found)) return digit;
  if (/[ \t]/.test(found)) return blank;
  return /[\n\r]/.test(found) ? line : sign;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
