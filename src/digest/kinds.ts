import { cleaned } from "./clean.ts";
import type { FormInput, TextKind } from "./form.ts";

/** What a text is: by what its first lines look like, with the tool's name where that leaves it open. Never read through. */
export function kindOf({ tool, form }: Pick<FormInput, "tool" | "form">, text: string): TextKind {
  const start = cleaned(text.slice(0, lookedAt));
  if (isBinary(text.slice(0, lookedAt))) return "binary";
  const lines = start
    .split("\n", linesLookedAt)
    .flatMap((line) => (line.trim() === "" ? [] : [line.slice(0, lineLookedAt)]));
  const end = cleaned(text.slice(-lookedAt / 4));
  const found = signs.find(({ is }) => is(lines, start, end))?.kind;
  if (form === "range") return found === "html" || found === "json" || found === "prose" ? found : "source";
  return found ?? usual[tool] ?? "command";
}

const lookedAt = 8_000;
const linesLookedAt = 80;
/** Patterns with two open ends are only put to short texts. */
const lineLookedAt = 300;

/** What these tools bring where it looks like nothing else. */
const usual: Readonly<Partial<Record<string, TextKind>>> = { Grep: "search", Glob: "listing", Read: "source" };

/** A text has no zeros, and hardly ever signs of what could not be decoded. */
function isBinary(start: string): boolean {
  return start.split(notText).length - 1 > start.length / 50;
}

const notText = /[\0\ufffd]/;

type Sign = {
  readonly kind: TextKind;
  readonly is: (lines: readonly string[], start: string, end: string) => boolean;
};

const testRun =
  /^(?:=+ test session starts|=+ .*\b\d+ (?:passed|failed)\b.*=+$|collected \d+ items?|--- (?:PASS|FAIL|SKIP): |=== (?:RUN|NAME) |(?:ok|FAIL|\?) {0,3}\t\S+\t|TAP version|\d+\.\.\d+$|(?:not )?ok \d+ |running \d+ tests?$|test \S+ \.\.\. (?:ok|FAILED|ignored)|test result: |Ran \d+ tests? in|\S+ \([\w.]+\)(?: \.\.\. |$)|(?:PASS|FAIL) {1,2}\S+\.\w+|Test Suites: |\s*Tests: +\d|Test Files +\d|\[(?:INFO|ERROR)\] +Tests run: |\[INFO\] {2}T E S T S|\[ *(?:RUN|OK|FAILED|PASSED) *\] |\(pass\) |\(fail\) |\s*\d+ (?:passing|failing|pass|fail)\b|Testing against Django|Found \d+ test\(s\)|_{3,} \S+ _{3,}|\S+\.py(?:::\S+)? [.FEsxX]{2,}|PHPUnit \d|\d+ examples?, \d+ failures?|Failed \S+ \[|E {3,}\S|\S+\.py\[\d+\] )/;

/** What task runners, compilers, linters, bundlers and package managers say of themselves. */
const buildRun =
  /^(?:(?:\[[\w:-]+\] )?\$ \S|> \S+@\d\S* \w|@?[\w./-]+ (?:build|lint|typecheck|check|compile): \S|\s+(?:Compiling|Checking) \S+ v\d|make(?:\[\d+\])?: |\[ {0,2}\d+%\] \w|\[\d+\/\d+\] \S|> Task :|\[INFO\] (?:-{3}|Building |Scanning )|Checked \d+ files|Found \d+ (?:errors?|warnings?|problems?|issues?)\b|npm (?:warn|error|ERR!) |-- Configuring done)|^\S+\(\d+,\d+\): error |^\S+:\d+:\d+ - error |^\s*(?:at )?\S+:\d+:\d+ lint\/\w+\/|^\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning): |^\s*--> \S+:\d+:\d+$|^\S+\.go:\d+(?::\d+)?: .* \([a-z]+\)$|\b(?:vite|tsup|webpack|rollup|esbuild|turbo) v?\d+\.\d/;

/** Commits one a line, states of a working tree, sums of changes. */
const history =
  /^(?:[*|\\/ ]*[0-9a-f]{7,40} \S.*|On branch .*|Your branch .*|Changes .*:|Untracked files:| {2}\(use .*\)|(?:\?\?|[ MADRCU]{2}) \S+|\t\S+|\t?\s*(?:modified|new file|deleted|renamed): .*| \S.* \| +(?:\d+ [+-]*|Bin .*)| (?:create|delete|rename) mode .*)$/;

/** How test runners end. */
const testSum =
  /^(?:=+ .*\b\d+ (?:passed|failed|errors?)\b.* in [\d.]+ ?s|Ran \d+ tests? in|FAILED \((?:failures|errors)=|test result: |(?:FAILED|ERROR) \S+::\S+|\[(?:INFO|ERROR|WARNING)\] +Tests run: |Test Suites: \d|\s*Test Files +\d|\s*tests finished: |(?:ok|FAIL) {0,3}\t\S+\t[\d.]+s)/;

const signs: readonly Sign[] = [
  { kind: "json", is: (_, start, end) => /^\s*[[{]/.test(start) && /[\]}]\s*$/.test(end) && looksJson(start) },
  { kind: "html", is: (_, start) => /^\s*<(?:!doctype html|html|head|body)\b/i.test(start) },
  {
    kind: "snapshot",
    is: (lines) => many(lines, /^\s*(?:- )?'?[a-z]+(?: "[^"]*")?.*\[(?:ref|uid)=|^\s*uid=\S+ \w+/, 0.3),
  },
  { kind: "tests", is: (_, __, end) => ending(end).some((line) => testSum.test(line)) },
  { kind: "diff", is: (lines) => lines.some((line) => /^(?:diff --git |--- a\/|Index: |@@ -\d)/.test(line)) },
  { kind: "prose", is: (lines) => lines.filter((line) => /^#{1,4} \S|^\*\*[^*]+\*\*:?/.test(line)).length >= 3 },
  {
    kind: "tests",
    is: (lines, _, end) =>
      [...lines, ...ending(end)].some((line) => testRun.test(line)) || many(lines, /^\s*[✓✔✗✘✕×] \S/, 0.3),
  },
  { kind: "source", is: (lines) => many(lines, /^\s*\d+(?:→|\t|: | \| )/) },
  { kind: "build", is: (lines) => lines.some((line) => buildRun.test(line)) },
  {
    kind: "log",
    is: (lines) => many(lines, /^(?:\S+ )?\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:|\w{3} +\d+ \d\d:\d\d:|\d\d:\d\d:\d\d)/),
  },
  { kind: "trace", is: (lines) => many(lines, /^\s+at \S.*[:(]\d*|^\s+File "[^"]+", line \d+|^\s+\S+\.go:\d+/, 0.3) },
  { kind: "search", is: (lines) => many(lines, /^(?:\.{0,2}\/)?[^\s:]*[\w@-]+\.\w{1,8}[:-]\d+[:-]/) },
  { kind: "history", is: (lines) => many(lines, history) },
  { kind: "table", is: isTable },
  {
    kind: "listing",
    is: (lines) =>
      many(
        lines,
        /^(?:[-dlrwxst@+.]{9,12}\s+\d+ .*|total \d+|(?:\.{0,2}\/)?[\w@.+ -]+(?:\/[\w@.+ -]+)+\/?|[│├└][│├└─ ]*\S.*)$/,
      ),
  },
  { kind: "source", is: (lines) => many(lines, /[{};]\s*$|^\s*(?:def|class|import|from|return|if|for|#include)\b.*/) },
  { kind: "prose", is: (lines) => many(lines, /^#{1,6} \S|^\s*[-*] \S|^\s*\d+\. \S|^[A-Z][^{}();]{60,}/, 0.3) },
];

function ending(end: string): readonly string[] {
  return end.split("\n").map((line) => line.slice(0, lineLookedAt));
}

/** Quotes and signs where JSON has them; whether it is JSON is for its own form to find out. */
function looksJson(start: string): boolean {
  return /^\s*(?:\[\s*)*(?:\{\s*(?:"|\})|\[\s*(?:["\]\d-]|true|false|null))|^\s*\[\s*(?:["\d\]-]|true|false|null)/.test(
    start,
  );
}

function isTable(lines: readonly string[]): boolean {
  if (lines.some((line, at) => /^\s*\|.*\|\s*$/.test(line) && /^\s*\|[\s:|-]+\|\s*$/.test(lines[at + 1] ?? "")))
    return many(lines, /^\s*\|.*\|\s*$/);
  const [head = ""] = lines;
  if (lines.length < 3) return false;
  if (/^[A-Z][A-Z0-9_ ()%#-]*(?: {2,}[A-Z][A-Z0-9_ ()%#-]*)+\s*$/.test(head)) return true;
  for (const by of ["\t", ",", ";"]) {
    const columns = head.split(by).length;
    if (
      columns >= 3 &&
      /^[\w "'.-]+$/.test(head.replaceAll(by, "")) &&
      lines.every((line) => line.split(by).length === columns)
    )
      return true;
  }
  return false;
}

function many(lines: readonly string[], pattern: RegExp, share = 0.5): boolean {
  return lines.length > 2 && lines.filter((line) => pattern.test(line)).length >= lines.length * share;
}
