import { describe, expect, test } from "vitest";
import { failureLines } from "../../src/digest/failures.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { indexLines } from "../../src/digest/line-index.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";

const shownOf = (lines: readonly string[]) =>
  firstForm({ tool: "Bash", text: lines.join("\n"), exitCode: 1, form: "output", handle: brand("abc") }).text;

/** Output of thousands of such lines, with one other line in its middle. */
const within = (usual: string, odd: string) =>
  shownOf(Array.from({ length: 8_000 }, (_, n) => (n === 4_000 ? odd : usual)));

describe("C-061 · a failure in the middle is seen among thousands of lines that sound like one", () => {
  const usual = [
    "tests/test_io.py::test_error_case PASSED [ 12%]",
    "test parser::handles_error ... ok",
    "  ✓ throws an error when empty (3 ms)",
    "--- PASS: TestError (0.00s)",
    "[       OK ] Io.ErrorPath (0 ms)",
    "[3/900] CXX obj/error_handler.o",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
    "warning: unused variable: `error`",
  ];
  test.each(usual)("%s", (line) => {
    for (const odd of ["FAILED tests/test_a.py::test_x - boom", "--- FAIL: TestFoo (0.01s)", "not ok 7 - adds"]) {
      expect(within(line, odd)).toContain(odd);
    }
  });
});

describe("C-061 · a failure is known in the words of many tools", () => {
  const odds = [
    "E       assert 3 == 4",
    "error[E0308]: mismatched types",
    "src/a.ts(3,4): error TS2304: Cannot find name 'x'.",
    "[ERROR] /a/B.java:[3,4] cannot find symbol",
    "FAILED: obj/a.o",
    "Traceback (most recent call last):",
    "    Expected: 3",
    "Caused by: java.lang.NullPointerException",
    "WARNING: DATA RACE",
    "npm ERR! code ELIFECYCLE",
    "Killed",
    "Terminated",
    "Illegal instruction",
    "free(): invalid pointer",
    "signal: 11, SIGSEGV",
    "exit status 2",
    "E: Unable to locate package foo",
    "CONFLICT (content): Merge conflict in a.ts",
    "  ✕ adds (3 ms)",
    "Fehler: Datei fehlt",
    "erreur : fichier introuvable",
    "错误: 找不到文件",
    "エラー: ファイルがありません",
    "ошибка: файл не найден",
    "Ошибка: файл не найден",
    "Не удалось открыть файл",
    "Помилка: файл не знайдено",
    "Échec de la compilation",
    "오류: 파일 없음",
  ];
  test.each(odds)("%s", (odd) => {
    expect(within("building one more module", odd)).toContain(odd);
    expect(within("building one more module", `\u001b[31m${odd}\u001b[0m`)).toContain(odd);
  });
});

test("law 10 · failures are compared with each other up to the bound", () => {
  const kindAt = (line: number) => {
    const text = Array.from({ length: line + 2_000 }, (_, n) => (n === line ? "panic: other" : `error ${n}`)).join(
      "\n",
    );
    return failureLines(text, indexLines(text)).includes(line);
  };
  expect(kindAt(bounds.failuresComparedMax - 1)).toBe(true);
  expect(kindAt(bounds.failuresComparedMax + 1)).toBe(false);
});
