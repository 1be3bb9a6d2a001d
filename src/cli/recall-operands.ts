import type { Wanted } from "../tools/recall-part.ts";
import { UsageError } from "./exit.ts";

export type RecallFlags = {
  readonly lines?: string;
  readonly jsonPath?: string;
  readonly grep?: string;
  readonly search?: string;
  readonly from?: string;
};

export type Asked = { readonly handle: string | null; readonly wanted: Wanted };

/**
 * `HANDLE [lines A-B | path JSONPATH | grep RE | search WORDS]` and `search WORDS`, or the same as options. None of the four
 * words can be a handle, which is made of hex digits.
 */
export function askedBy(operands: readonly string[], flags: RecallFlags): Asked {
  const [first, ...others] = operands;
  const isHandle = first !== undefined && !isWay(first);
  const [way, ...values] = isHandle ? others : operands;
  const given: Record<string, string | undefined> = {
    lines: flags.lines,
    path: flags.jsonPath,
    grep: flags.grep,
    search: flags.search,
  };
  if (way !== undefined) {
    if (!isWay(way)) throw new UsageError(`expected lines, path, grep or search behind the handle, got "${way}"`);
    if (values.length === 0) throw new UsageError(`${way}: what? ${examples[way]}`);
    if (given[way] !== undefined) throw new UsageError(`${way} is given twice`);
    given[way] = values.join(" ");
  }
  const wanted = {
    ...linesOf(given.lines),
    column: undefined,
    jsonPath: given.path,
    grep: given.grep,
    search: given.search,
  };
  return { handle: isHandle ? first : null, wanted };
}

const examples = {
  lines: "As in `varve recall HANDLE lines 10-20`",
  path: "As in `varve recall HANDLE path $.items[0].name`",
  grep: "As in `varve recall HANDLE grep 'error|failed'`",
  search: "As in `varve recall search some words`",
} as const;

function isWay(word: string): word is keyof typeof examples {
  return Object.hasOwn(examples, word);
}

function linesOf(range: string | undefined): Pick<Wanted, "startLine" | "endLine"> {
  if (range === undefined) return { startLine: undefined, endLine: undefined };
  const found = /^(\d+)(?:(-)(\d*))?$/.exec(range.trim());
  if (found === null || Number(found[1]) < 1)
    throw new UsageError(`lines: expected a range such as 10-20, 10- or 10, got "${range}"`);
  const startLine = Number(found[1]);
  const endLine = found[2] === undefined ? startLine : found[3] ? Number(found[3]) : undefined;
  return { startLine, endLine };
}
