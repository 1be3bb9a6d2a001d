import { weightOf } from "./memory-words.ts";
import { wordsOf } from "./retrieval-terms.ts";

/** A name as it is written, and as names are compared: whatever the case and the marks between its parts. */
type Name = { readonly written: string; readonly name: string };

/** What a text of code defines, in any language that says so with a word or writes a function as `name(…) {`. */
export function definedNames(text: string): readonly Name[] {
  const said = [...text.matchAll(introduced)].map(([, written = ""]) => written);
  const written = text.split("\n").flatMap((line) => functionIn(line) ?? []);
  return [...new Set([...said, ...written])].map((one) => ({ written: one, name: nameOf(one) }));
}

/** `pub static mut NAME`, `func (r *Type) Name`, `impl<T> Name`. */
const introducing =
  "class|const|def|enum|fn|func|function|impl|interface|let|mod|module|namespace|object|package|protocol|record|static|struct|trait|type|union|val|var";
const introduced = new RegExp(
  `(?:\\b(?:${introducing})|#define)(?:<[^(){}\\n]{0,120}>)?\\s+(?:(?:${introducing}|mut|async|inline|unsigned)\\s+){0,3}(?:\\([^()\\n]{0,80}\\)\\s*)?([\\p{L}_$][\\p{L}\\p{N}_$]*)`,
  "gu",
);

/** A line whose first bracket stands behind a name with nothing but words and types before it, and which does not end as a call does. */
function functionIn(line: string): string | null {
  const bracket = line.indexOf("(");
  if (bracket <= 0 || bracket > beforeCharsMax || line.trimEnd().endsWith(";")) return null;
  const before = line.slice(0, bracket);
  const name = /[\p{L}_~][\p{L}\p{N}_]*$/u.exec(before)?.[0];
  if (name === undefined || noFunction.test(name)) return null;
  const types = before.slice(0, -name.length);
  return onlyTypes.test(types) && !statement.test(types) ? name : null;
}

const beforeCharsMax = 200;
const onlyTypes = /^[\p{L}\p{N}_\s:<>,&*[\]~.?@]*$/u;
const statement = /\b(?:return|new|await|throw|else|case|in)\b|\.$/;
const noFunction =
  /^(?:if|for|while|switch|return|catch|else|new|throw|match|sizeof|await|super|this|assert|with|when|until|elif|print|not|and|or)$/;

/** What a question calls by its name: identifiers, what stands in code marks or before a bracket, and what is said to be a class, a method and so on. */
export function namesAsked(query: string): readonly string[] {
  const marked = new Set(
    [...query.matchAll(/`([^`]*)`|([\p{L}\p{N}_$]+)\(/gu)]
      .flatMap(([, code, called]) => wordsOf(code ?? called ?? ""))
      .map(({ written }) => written),
  );
  const words = wordsOf(query);
  const named = words.filter(({ written, whole }, at) => {
    if (whole !== null || marked.has(written)) return true;
    if (isKind(written) || weightOf(written.toLowerCase()) === 0) return false;
    const isCapital = at > 0 && /^\p{Lu}/u.test(written);
    return isCapital || isKind(words[at + 1]?.written) || isKind(words[at - 1]?.written);
  });
  return [...new Set(named.map(({ written }) => nameOf(written)))];
}

function isKind(word: string | undefined): boolean {
  return word !== undefined && kinds.has(word.toLowerCase());
}

const kinds = new Set(
  "class struct enum function method interface trait type macro module constructor constant variable component command property operator package hook test".split(
    " ",
  ),
);

export function nameOf(written: string): string {
  return written.toLowerCase().replaceAll(/[_$-]/g, "");
}
