/** One sentence of a message: `text` as it stands there, `bare` without quotations and inline code, for a look at its words. */
export type Sentence = { readonly text: string; readonly bare: string };

/**
 * Sentences a user wrote in his own words. Code, quotations, logs and tables are none: what stands in them was said by
 * somebody else. Linear in the message.
 */
export function sentencesOf(message: string): readonly Sentence[] {
  return proseLines(message).flatMap((line) => {
    const start = bullet.exec(line)?.[0].length ?? 0;
    const text = line.slice(start);
    return cutSentences(text, withoutQuotations(text));
  });
}

/** Outside of fences, one line after another; an indented line may be code. */
function proseLines(message: string): readonly string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  let tags = 0;
  for (const line of message.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (mark !== null && (fence === null || (mark[0] === fence[0] && mark.length >= fence.length))) {
      fence = fence === null ? mark : null;
      continue;
    }
    if (fence !== null) continue;
    // What stands between tags was put in by a program.
    const isTag = /^\s*<\/?[A-Za-z][\w:-]*(?:\s[^<>]*)?>/.exec(line)?.[0];
    if (isTag !== undefined) {
      if (!line.includes("</") && !line.trimEnd().endsWith("/>")) tags += 1;
      else if (/^\s*<\//.test(line)) tags = Math.max(0, tags - 1);
      continue;
    }
    if (tags === 0 && !isForeign(line)) lines.push(line);
  }
  return lines;
}

const bullet = /^\s*(?:[-*•+]|\d{1,3}[.)、]|[（(]\d{1,3}[）)])\s+|^\s*/;

function isForeign(line: string): boolean {
  return foreign.some((shape) => shape.test(line));
}

/** Quotations, indented code, tables, log lines, statements of a programming language. */
const foreign: readonly RegExp[] = [
  /^\s*>/,
  /^(?: {4,}|\t)(?![-*•+] |\d{1,3}[.)] )/,
  /^\s*\|.*\|/,
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:/,
  /^\s*\[?\d\d:\d\d:\d\d/,
  /^\s*(?:\[|<)?(?:error|warn(?:ing)?|info|debug|fatal|trace|E|W|FAIL|FAILED|PASS|✗|✕|×|npm ERR!|err!)\b\s*[\]:!>(]/i,
  /^\s*(?:\/\/|\/\*|#!|\*\s|--\s|<!--)/,
  /^\s*at\s+\S+\s*\(/,
  /^\s*(?:\w+\.)*\w*(?:Error|Exception)\b/,
  /^\s*(?:const|let|var|function|class|import|export|return|def|if|for|while|public|private|static)\b.*[;{(:=]\s*$/,
  /[;{}]\s*$/,
  /^\s*\$\s/,
  /^\s*(?:diff --git|@@|\+\+\+|---)/,
];

/** The same length, so that what is found there is found in the text too. */
function withoutQuotations(line: string): string {
  return quotations.reduce((text, { shape, close }) => {
    // Behind the last closing mark nothing is looked for: each opening one would be followed to the end.
    const end = text.lastIndexOf(close) + 1;
    return text.slice(0, end).replace(shape, blanked) + text.slice(end);
  }, line);
}

const quotations: readonly { readonly shape: RegExp; readonly close: string }[] = [
  { shape: /`[^`\n]*`/g, close: "`" },
  { shape: /"[^"\n]*"/g, close: '"' },
  { shape: /“[^”\n]*”/g, close: "”" },
  { shape: /「[^」\n]*」/g, close: "」" },
  { shape: /『[^』\n]*』/g, close: "』" },
  { shape: /《[^》\n]*》/g, close: "》" },
  { shape: /‘[^’\n]*’/g, close: "’" },
  { shape: /(?<![\p{L}\d])'[^'\n]*'(?![\p{L}\d])/gu, close: "'" },
];

/** A word in its place, so that "use `x`" is still a sentence with an object. */
function blanked(found: string): string {
  return "¤".repeat(found.length);
}

/** Ends with a full stop before white space; Chinese ones need none. */
function cutSentences(text: string, bare: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  const take = (to: number) => {
    const part = text.slice(from, to);
    const lead = part.length - part.trimStart().length;
    if (part.trim() !== "") sentences.push({ text: part.trim(), bare: bare.slice(from + lead, to).trimEnd() });
    from = to;
  };
  for (const { index, 0: mark } of bare.matchAll(/(?<![.!?])[.!?]+(?=\s|$)|[。！？；;]+/g)) take(index + mark.length);
  take(text.length);
  return sentences;
}
