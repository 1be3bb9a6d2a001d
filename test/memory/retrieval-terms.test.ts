import { describe, expect, test } from "vitest";
import { stemOf } from "../../src/memory/retrieval-stem.ts";
import { termsOf, wordsOf } from "../../src/memory/retrieval-terms.ts";

describe("terms of a text", () => {
  test.each([
    ["run_target", ["run", "target", "runtarget"]],
    ["runTarget", ["run", "target", "runtarget"]],
    ["RunTarget", ["run", "target", "runtarget"]],
    ["run-target", ["run", "target", "runtarget"]],
    ["HTTPServer2", ["http", "server", "2", "httpserver2"]],
    ["__init__", ["init"]],
    ["$scope", ["scop"]],
    ["getX()", ["get", "x", "getx"]],
    ["std::vector<int>", ["std", "vector", "int"]],
    ["v1.2", ["v", "1", "v1", "2"]],
  ])("%s is cut into its parts, and is one term whole", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test.each([
    ["検索結果", ["検索", "索結", "結果"]],
    ["索引 faster", ["索引", "faster"]],
    ["Größenänderung", ["größenänderung"]],
    ["ПоискСтрок", ["поиск", "строк", "поискстрок"]],
    ["done 🎉", ["don", "🎉"]],
    ["ｆｕｌｌ", ["full"]],
  ])("%s: scripts without blanks by neighbours, other letters as words", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test("ASCII and other texts are cut by the same rules", () => {
    const text = "const fooBar_2 = my-map.get(x_y); // it's $ok -- 3rd A-B";
    expect(wordsOf(text)).toEqual(wordsOf(`${text}é`.replace("é", " é")).slice(0, -1));
  });

  test.each([
    ["classes", "class"],
    ["entries", "entry"],
    ["running", "run"],
    ["parsed", "pars"],
    ["parse", "pars"],
    ["quickly", "quick"],
    ["status", "status"],
    ["string", "string"],
    ["is", "is"],
    ["größen", "größen"],
  ])("%s is shortened to %s", (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });
});
