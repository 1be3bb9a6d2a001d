import {
  behind,
  commonest,
  count,
  first,
  firsts,
  kinds,
  largest,
  last,
  lasts,
  list,
  type Question,
  where,
  whether,
} from "./question.ts";

const file = /^diff --git a\/(\S+)/;
const hunk = /^(@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*)/;
const added = /^\+(?!\+\+ )(.*\S.*)$/;
const removed = /^-(?!-- )(.*\S.*)$/;

export const diff: readonly Question[] = [
  ...firsts("a file", file, 4),
  last("the last file", file),
  count("how many files", file),
  list("all files", file),
  ...firsts("a hunk", hunk, 2),
  last("the last hunk", hunk),
  count("how many hunks", hunk),
  commonest("the commonest function of a hunk", /^@@ .* @@ (.+)$/),
  ...firsts("an added line", added, 2),
  last("the last added line", added),
  count("how many lines are added", added),
  first("the first removed line", removed),
  ...lasts("a removed line", removed, 1),
  count("how many lines are removed", removed),
  count("how many files are new", /^new file mode/),
  count("how many files are gone", /^deleted file mode/),
  first("the first rename", /^rename to (.+)$/),
  first("the first blob", /^index ([0-9a-f]+)\.\./),
  kinds("how many kinds of files", /^diff --git a\/\S+\.(\w+) /),
  largest("the largest line number of a hunk", /^@@ -\d+(?:,\d+)? \+(\d+)/),
  where("the line of the first hunk", hunk),
  behind("the first line of the first hunk", hunk),
  whether("whether a test is touched", /^diff --git a\/\S*(?:test|spec)/),
];
