import { describe, expect, test } from "vitest";
import { definedNames, namesAsked } from "../../src/memory/retrieval-names.ts";

describe("names that a text defines", () => {
  test.each([
    ["def load_all(path):", "loadall"],
    ["  async def load(self):", "load"],
    ["export function parseJson(text: string) {", "parsejson"],
    ["pub static mut SIGNALS: [u8; 64]", "signals"],
    ["impl<T: Clone> Executor<T> {", "executor"],
    ["func (s *Server) Close() error {", "close"],
    ["void TestSuite::setUp() {", "setup"],
    ["  public static final String nameOf(int x) throws IOException {", "nameof"],
    ["#define MAX_SIZE 10", "maxsize"],
    ["interface Étagère {", "étagère"],
    ["  drawAll(canvas: Canvas): void {", "drawall"],
  ])("%s", (line, name) => {
    expect(definedNames(line).map((one) => one.name)).toContain(name);
  });

  test.each(["  return compute(x)", "if (ready) {", "  print(x)", "  foo.bar(1);", "await save(all)", "x = call(1)"])(
    "%s defines nothing",
    (line) => {
      expect(definedNames(line)).toEqual([]);
    },
  );

  test("time is linear in a hostile text", () => {
    const hostile = [
      "a ".repeat(100_000),
      "func (".repeat(30_000),
      `impl<${"<".repeat(100_000)}`,
      "a::".repeat(50_000),
    ];
    for (const text of hostile) expect(definedNames(text).length).toBeLessThan(10);
  });
});

describe("names that a question asks for", () => {
  test.each([
    ["What does the `vuln` function do?", ["vuln"]],
    ["What does run() return?", ["run"]],
    ["How does parseJson fail?", ["parsejson"]],
    ["Who sets max_size here?", ["maxsize"]],
    ["How can I construct an Error object?", ["error"]],
    ["What is the purpose of the body method?", ["body"]],
    ["Why should I call a function?", []],
    ["Where are files kept?", []],
  ])("%s", (question, names) => {
    expect(namesAsked(question)).toEqual(names);
  });
});
