import { count, first, firsts, kinds, last, lasts, list, type Question, where, whether } from "./question.ts";

/** With the line numbers that a reader puts in front. */
const at = String.raw`^\s*(?:\d+[→\t: |]\s*)?`;
const declared = new RegExp(
  `${at}(?:export |pub |public |private |protected |static |async |default )*(?:function\\*?|func(?: \\([^)]*\\))?|class|interface|type|struct|enum|def|fn|const|let|var) ([A-Za-z_$][\\w$]*)`,
);
const imported = new RegExp(`${at}(?:import|from|use|#include|const .* = require\\()\\b.*?["'<]([^"'>]+)["'>]`);
const heading = new RegExp(`${at}#{1,6} (.+)$`);

/** Files as readers give them, code and text. */
export const source: readonly Question[] = [
  ...firsts("a declaration", declared, 4),
  ...lasts("a declaration", declared, 3),
  count("how many declarations", declared),
  list("all declarations", declared),
  ...firsts("an import", imported, 2),
  count("how many imports", imported),
  last("the last import", imported),
  where("the line of the first declaration", declared),
  first("the package", new RegExp(`${at}(?:package|module|namespace) ([\\w.:]+)`)),
  first("the first comment", new RegExp(`${at}(?://|#|/\\*\\*?|\\*) (.+)$`)),
  count("how many comments", new RegExp(`${at}(?://|#|/\\*\\*?|\\*) `)),
  count("how many lines return", new RegExp(`${at}return\\b`)),
  count("how many tests", new RegExp(`${at}(?:test|it|describe)\\(|${at}func Test|${at}def test_`)),
  first("the first test", /\b(?:test|it|describe)\("([^"]+)"|func (Test\w+)|def (test_\w+)/),
  ...firsts("a heading", heading, 2),
  count("how many headings", heading),
  kinds("how many names are declared", declared),
  last("the last line's number", /^\s*(\d+)[→\t]/),
  first("the first line's number", /^\s*(\d+)[→\t]/),
  count("how many lines are empty", new RegExp(`${at}$`)),
  whether("whether something is left to do", /\b(?:TODO|FIXME|XXX)\b/),
];
