import { failureOf } from "./failure-words.ts";
import { type Judge, must } from "./form.ts";
import { onceEach } from "./once-each.ts";
import { shapeOf } from "./shape.ts";

/** What a program printed: reports of errors stay, what only sounds like one counts more, the same again counts less. */
export function commandJudge(): Judge {
  const before = repetition();
  const failureIn = onceEach(failureOf);
  return (line) => {
    const failure = failureIn(line);
    if (failure === "report") return before.same(line) ? 0.1 : must;
    const often = before.alike(line);
    return (failure === "word" ? 3 : 1) * (often ? 0.3 : 1) * (warning.test(line) ? 2 : 1);
  };
}

/** Names of failing tests, errors, sums; a passing test says little. */
export function testsJudge(): Judge {
  const usual = commandJudge();
  return (line) => {
    if (isSummary(line)) return must;
    const worth = usual(line);
    return worth < must && passes(line) ? 0.15 : worth;
  };
}

/** What is wrong and where, with the lines that are pointed at; sums; files that were made say little. */
export function buildJudge(): Judge {
  const usual = commandJudge();
  return (line) => {
    if (buildSum.test(line)) return must;
    const worth = usual(line);
    if (worth >= must) return worth;
    if (pointedAt.test(line)) return worth * 4;
    return place.test(line) ? worth * 4 : line.includes("B") && artefact.test(line) ? worth * 0.15 : worth;
  };
}

/** Errors stay, warnings count more; of lines that differ only in numbers the first. */
export function logJudge(): Judge {
  const usual = commandJudge();
  return (line) => usual(line) * (/\b(?:ERROR|FATAL|CRITICAL|WARN(?:ING)?)\b/i.test(line) ? 3 : 1);
}

/** Files and folders, and what went wrong on the way. */
export function listingJudge(): Judge {
  return (line) => (failureOf(line) === "report" ? must : 1);
}

/** Frames of one's own code; those of libraries and runtimes last. */
export function traceJudge(): Judge {
  const usual = commandJudge();
  return (line) => (frame.test(line) ? (foreign.test(line) ? 0.1 : 2) : usual(line));
}

/** How linters and compilers end. */
const buildSum =
  /^(?:Found \d+ \w+|Checked \d+ files.*|(?:✖|×|\*) \d+ problems?.*|\d+ (?:issues?|errors?|warnings?|problems?)\b.{0,80}|\d+ files? (?:changed|reformatted|left unchanged).*|(?:error|warning): .*\b\d+ (?:previous )?(?:errors?|warnings?)\b.*|BUILD (?:SUCCESS|SUCCESSFUL|FAILURE|FAILED)\b.*)$/;
/** Of a piece of code that is shown: the line that is meant, and what should change in it. */
const pointedAt = /^\s*(?:>\s*\d+ [│|]|\d*\s+\d*\s*[│|] [-+] |\d+ [│|] [-+] )/;
/** Where something is wrong, in front of what. */
const place = /^\s*(?:at |--> )?[\w@./~-]+\.\w{1,6}(?::\d+(?::\d+)?|\(\d+,\d+\))(?:[: ]|$)/;
/** A file and its size. */
const artefact = /[\w-]\.\w+\s+[\d.]+ ?[kKMG]?i?B\b/;

const warning = /\bwarn(?:ing)?s?\b/i;

function isSummary(line: string): boolean {
  return summary.test(line) || (line.includes("test result: ") && /^.*\btest result: .*$/.test(line));
}

const summary =
  /^(?:=+ .*\b\d+ (?:failed|passed|errors?)\b.*|Ran \d+ tests?\b.*|FAILED \(.*|Tests:? +\S.*|Test Suites: .*|\s*Test Files +\S.*|\[\w+\] +Tests run: .*|\s*\d+ (?:passing|failing|pass|fail|pending)\b.*|# (?:tests|pass|fail) \d+|(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\[build failed\]).*|FAIL|BUILD (?:SUCCESS|FAILURE)|\s*tests finished: .*|\d+ examples?, .*|Exit code \d+|Process exited with code \d+)$/;

/** Patterns that may begin anywhere are only put to lines that hold what they need. */
function passes(line: string): boolean {
  return passStart.test(line) || ((line.includes("...") || line.includes("PASSED")) && passEnd.test(line));
}

const passStart =
  /^\s*(?:ok\b|[✓✔√]|PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|SKIP)|\[ +(?:OK|RUN|PASSED) +\]|\(pass\)|\?\s+\S+\s+\[no test files\])/;
const passEnd = /(?:\.\.\. (?:ok|skipped.*)|\bPASSED(?: +\[ *\d+%\])?|\.{3,} *Passed +[\d.]+ sec)\s*$/;

const frame = /^\s+at \S|^\s+File "[^"]+", line \d+|^\s+\S+\.(?:go|rs|rb|php):\d+/;
const foreign =
  /node_modules|node:internal|\(native\)|site-packages|dist-packages|\/lib\/python|\b(?:java|javax|jdk|sun|scala|kotlin)\.|org\.(?:junit|apache|springframework|gradle)|\/usr\/(?:local\/)?(?:lib|go)|\/rustc\/|\.cargo\/registry|vendor\/|gems\//;

/** Remembers what came before: the very line, and lines that differ only in numbers. Bounded by what is remembered. */
function repetition() {
  const lines = new Set<string>();
  const shapes = new Set<number>();
  return {
    same(line: string): boolean {
      const text = line.trim();
      if (lines.has(text)) return true;
      if (lines.size < rememberedMax) lines.add(text);
      return false;
    },
    alike(line: string): boolean {
      const shape = shapeOf(line);
      if (shapes.has(shape)) return true;
      if (shapes.size < rememberedMax) shapes.add(shape);
      return false;
    },
  };
}

const rememberedMax = 10_000;
