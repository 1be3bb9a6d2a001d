import { anyText } from "./any-text.ts";
import { build } from "./build.ts";
import { command } from "./command.ts";
import { diff } from "./diff.ts";
import { history } from "./history.ts";
import { json, jsonIn } from "./json.ts";
import { listing } from "./listing.ts";
import { log } from "./log.ts";
import { page } from "./page.ts";
import { prose } from "./prose.ts";
import type { Question } from "./question.ts";
import { type Reading, readingOf } from "./reading.ts";
import { search } from "./search.ts";
import { snapshot } from "./snapshot.ts";
import { source } from "./source.ts";
import { table, tableIn } from "./table.ts";
import { tests } from "./tests.ts";
import { trace } from "./trace.ts";

export const questions = {
  tests,
  build,
  command,
  json,
  listing,
  table,
  diff,
  history,
  page,
  snapshot,
  search,
  source,
  trace,
  log,
  prose,
} as const satisfies Readonly<Record<string, readonly Question[]>>;

export type OutputType = keyof typeof questions;

/** All that is asked of a result of that type; where a type asks the same as any text is asked, its own way counts. */
export function questionsFor(type: OutputType): readonly Question[] {
  const own: readonly Question[] = questions[type];
  return [...own, ...anyText.filter(({ name }) => !own.some((one) => one.name === name))];
}

/** What an output is: by what it looks like, and where that leaves it open by the class that the data give it. */
export function typeOf(text: string, cls: string): OutputType {
  const reading = readingOf(text);
  const looks = signs.find(({ is }) => is(reading, text.slice(0, lookedAt)))?.type;
  return fixed[cls] ?? looks ?? usual[cls] ?? "command";
}

const lookedAt = 20_000;

/** What these classes hold looks like many things: code that is read may speak of failing tests. */
const fixed: Readonly<Record<string, OutputType>> = {
  "test-run": "tests",
  "test-logs": "tests",
  "build-lint": "build",
  "file-read": "source",
  "subagent-report": "prose",
  web: "prose",
};

const usual: Readonly<Record<string, OutputType>> = {
  search: "listing",
  "git-log": "history",
  "git-diff": "command",
  mcp: "prose",
};

const signs: readonly { readonly type: OutputType; readonly is: (reading: Reading, start: string) => boolean }[] = [
  { type: "json", is: (reading) => jsonIn(reading) !== undefined },
  { type: "page", is: (_, start) => /^\s*<(?:!doctype html|html)\b/i.test(start) },
  { type: "snapshot", is: (_, start) => /^### (?:Page|Snapshot|Ran Playwright)/m.test(start) },
  { type: "diff", is: (_, start) => /^diff --git /m.test(start) },
  { type: "history", is: (_, start) => /^On branch |^commit [0-9a-f]{40}$/m.test(start) },
  { type: "source", is: (_, start) => many(start, /^\s*\d+→/) },
  { type: "log", is: (_, start) => many(start, /^\[?\d{4}-\d\d-\d\d[T ]\d\d:/) },
  { type: "trace", is: (_, start) => many(start, /^\s+at \S.*[:(]\d+|^\s+File "[^"]+", line \d+/, 0.3) },
  { type: "search", is: (_, start) => many(start, /^(?:\.{0,2}\/)?[\w@./ -]+\.\w{1,8}[:-]\d+[:-]/) },
  { type: "history", is: (_, start) => many(start, /^[0-9a-f]{7,40} \S/) },
  {
    type: "listing",
    is: (_, start) => many(start, /^(?:[-dlrwxst@+.]{9,12}\s+\d+ .*|(?:\.{0,2}\/)?[\w@.+-]+(?:\/[\w@.+-]+)+\/?)$/),
  },
  { type: "table", is: (reading) => (tableIn(reading)?.rows.length ?? 0) >= reading.lines.length / 2 },
];

/** Most of the lines that hold something. */
function many(text: string, pattern: RegExp, share = 0.5): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 2 && lines.filter((line) => pattern.test(line)).length >= lines.length * share;
}
