/** The name by which a line of a test run calls a test that failed, whatever the runner; null where it names none. */
export function failingTest(line: string): string | null {
  for (const pattern of failing) {
    const found = pattern.exec(line);
    if (found?.[1] !== undefined) return found[1].trim();
  }
  return null;
}

/** One line each for what the runner prints: nothing of ours is used here, or it would be its own judge. */
const failing: readonly RegExp[] = [
  /^(?:FAILED|ERROR) (\S*::\S.*?)(?: - .*)?$/, // pytest, summary
  /^(\S+::\S+) (?:FAILED|ERROR)(?:\s+\[ *\d+%\])?$/, // pytest -v
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\)|\w\S*)/, // unittest
  /^\s*--- FAIL: (\S+)/, // Go
  /^\(fail\) (.+?)(?: \[[\d.]+ ?ms\])?$/, // Bun
  /^\s*not ok \d+ (?:- )?(.+?)$/, // TAP
  /^\s*[✗✘✕×✖] (.+?)(?: \(?[\d.]+ ?m?s\)?)?$/, // Vitest, Jest, Mocha, Node
  /^\s*● (.+)$/, // Jest
  /^\s*FAIL {2}(\S.*)$/, // Vitest
  /^test (\S+) \.\.\. FAILED$/, // Cargo
  /^\[ {2}FAILED {2}\] (\S+?),? /, // GoogleTest
  /^\[ERROR\] +(\w[\w$]*(?:\.\w+)*[.#:]\w+:\d+)/, // Surefire
  /^_+ (\S+\.py:\S+) _+$/, // SymPy
  /^rspec (\S+:\d+)/, // RSpec
  /^\s*\d+ - (\S+) \(Failed\)/, // CTest
  /^\s*Failed (\S+) \[/, // .NET
  /^\d+\) (\w\S*::\S+)$/, // PHPUnit
];

/** A line that reports an error in words that every tool uses. */
export function errorLine(line: string): string | null {
  return errors.test(line) && !nothing.test(line) ? line.trim() : null;
}

const errors =
  /^(?:E {2,}\S|\s*(?:error|fatal|panic|FATAL|ERROR|Error)\b ?[:[]|\[ERROR\] \S)|: (?:fatal )?error\b|\b[A-Z]\w*(?:Error|Exception)\b(?:$|:)|\berror (?:TS|E|CS)\d+/;
const nothing = /\b(?:0|no) errors?\b|: 0\b/i;

/** `file.ext:12` or `file.ext(12,3)`, as compilers, linters and traces write places. */
export function placeIn(line: string): string | null {
  const found = /(?:^|[\s('"`@[])((?:[\w@~.-]*\/)*[\w@.-]+\.[A-Za-z]\w{0,5}(?::\d+|\(\d+,\d+\)|:\[\d+,\d+\]))/.exec(
    line,
  );
  if (found?.[1] !== undefined) return found[1];
  const python = /File "([^"]+)", line (\d+)/.exec(line);
  return python === null ? null : `${python[1]}:${python[2]}`;
}
