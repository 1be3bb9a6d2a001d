import { bounds } from "../kernel/bounds.ts";
import type { Boundary } from "../workspace/boundary.ts";
import { compileGlob, type Glob } from "../workspace/glob.ts";
import { absolutePath, shownPath } from "../workspace/path.ts";
import { defineTool } from "./define.ts";
import { type GrepLine, grepLines } from "./grep-lines.ts";
import { done } from "./outcome.ts";
import { countOf } from "./read-lines.ts";
import { type Search, search } from "./ripgrep.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

type Query = {
  readonly pattern: string;
  readonly path: string;
  readonly glob: string | undefined;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly limit: number;
  readonly mode: "lines" | "files" | "count";
};

export function grepTool(options: Search): Tool {
  return defineTool({
    name: "Grep",
    description:
      "Search file contents with a regular expression (ripgrep). Ignored files are left out. Lines come as path:line:text; of very long lines only the surroundings of the match.",
    fields: {
      pattern: { type: "string", optional: false },
      path: { type: "string", description: "file or folder", optional: true },
      glob: { type: "string", description: "like *.ts or src/**/*.{js,ts}", optional: true },
      ignoreCase: { type: "boolean", optional: true },
      context: { type: "integer", minimum: 0, maximum: 20, optional: true },
      limit: { type: "integer", minimum: 1, maximum: bounds.matchesMax, optional: true },
      mode: { type: "string", values: ["lines", "files", "count"], optional: true },
    },
    readOnly: true,
    plan: ({
      pattern,
      path = ".",
      glob,
      ignoreCase = false,
      context = 0,
      limit = bounds.matchesDefault,
      mode = "lines",
    }) => {
      if (pattern === "") return "pattern: expected a regular expression, got an empty string.";
      if (pattern.length > bounds.patternCharsMax)
        return `pattern: expected at most ${bounds.patternCharsMax} characters.`;
      if (`${pattern}${glob ?? ""}`.includes("\0")) return "pattern and glob: a NUL byte cannot be searched for.";
      const filter = compileGlob(glob?.replace(/^!/, "") ?? "**");
      if (filter.type === "bad") return `glob: ${filter.why}.`;
      const query: Query = { pattern, path, glob, ignoreCase, context, limit, mode };
      return {
        access: { type: "read", path },
        title: `Grep ${JSON.stringify(pattern)} in ${path}`,
        run: (toolContext, signal) => grep(options, query, filter, toolContext, signal),
      };
    },
  });
}

/** null: ripgrep has chosen the files already. */
type IsWanted = ((path: string) => boolean) | null;
type Filter = Extract<Glob, { readonly type: "ok" }>;

async function grep(
  options: Search,
  query: Query,
  filter: Filter,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const found = await search(options, { path: query.path, args: argumentsOf(query) }, context, signal);
  if (found.type === "ended") return found.outcome;
  const cwd = await options.boundary.place(".", context.cwd);
  const shownRoot = cwd.type === "unusable" ? context.cwd : cwd.path;
  const show = (path: string): string => shownPath(shownRoot, absolutePath(found.base, path));
  const isWanted = wantedBy(query.glob, filter, options.boundary.hides, found.base);
  const result =
    query.mode === "lines"
      ? linesResult(found.stdout, { query, isWanted, show, masked: options.mask?.text })
      : namesResult(found.stdout, query, isWanted, show);
  const notes = found.partial === null ? [] : [`[not complete: ${found.partial}]`];
  return done([...result, ...notes].join("\n"), { form: "output" });
}

/**
 * A glob given to ripgrep as such would bring ignored files back, so a plain name pattern goes in as a file type, one
 * with folders is applied here, and only one that leaves files out goes in as it is.
 */
function argumentsOf({ pattern, glob, ignoreCase, context, mode }: Query): readonly string[] {
  const output = {
    lines: ["--json"],
    files: ["--files-with-matches", "--null"],
    count: ["--count", "--null", "--with-filename"],
  }[mode];
  const named = glob === undefined || filtersHere(glob) ? [] : [`--type-add=wanted:${glob}`, "--type=wanted"];
  return [
    ...output,
    "--crlf",
    "--sort=path",
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(mode === "lines" && context > 0 ? [`--context=${context}`] : []),
    ...(glob?.startsWith("!") ? [`--glob=${glob}`] : named),
    `--regexp=${pattern}`,
  ];
}

function wantedBy(glob: string | undefined, filter: Filter, hides: Boundary["hides"], base: string): IsWanted {
  const isFiltered = filtersHere(glob);
  if (!isFiltered && hides === null) return null;
  return (path) => (!isFiltered || filter.matches(path)) && hides?.(absolutePath(base, path)) !== true;
}

function filtersHere(glob: string | undefined): boolean {
  return glob !== undefined && !glob.startsWith("!") && (glob.includes("/") || glob.includes(":"));
}

type Shown = {
  readonly query: Query;
  readonly isWanted: IsWanted;
  readonly show: (path: string) => string;
  readonly masked: ((text: string) => string) | undefined;
};

function linesResult(stdout: string, { query, isWanted, show, masked }: Shown): readonly string[] {
  const { lines, shown, total } = grepLines(stdout, query.limit, isWanted, masked);
  if (total === 0) return [noMatch(query)];
  const texts = lines.map((line, index) => withGap(lines[index - 1], line, query.context) + lineText(line, show));
  return shown < total ? [...texts, limitNote(shown, countOf(total, "matching line"))] : texts;
}

function lineText(line: GrepLine, show: (path: string) => string): string {
  const mark = line.isMatch ? ":" : "-";
  return `${show(line.path)}${mark}${line.number}${mark}${line.text}`;
}

function withGap(before: GrepLine | undefined, line: GrepLine, context: number): string {
  const follows = before === undefined || (before.path === line.path && before.number + 1 === line.number);
  return context === 0 || follows ? "" : "--\n";
}

function namesResult(
  stdout: string,
  query: Query,
  isWanted: IsWanted,
  show: (path: string) => string,
): readonly string[] {
  const rows = stdout.match(query.mode === "files" ? /[^\0]+/g : /[^\0]+\0\d+\r?\n/g) ?? [];
  const wanted = rows
    .map((row) => row.split("\0"))
    .map(([path = "", count = ""]) => ({ path: path.replace(/^\.\//, ""), count: count.trim() }))
    .filter(({ path }) => isWanted?.(path) ?? true);
  if (wanted.length === 0) return [noMatch(query)];
  const texts = wanted
    .slice(0, query.limit)
    .map(({ path, count }) => (count === "" ? show(path) : `${show(path)}:${count}`));
  return texts.length < wanted.length ? [...texts, limitNote(texts.length, countOf(wanted.length, "file"))] : texts;
}

function limitNote(shown: number, total: string): string {
  return `[${shown} of ${total} shown; narrow pattern, path or glob, or raise limit]`;
}

function noMatch({ pattern, path, glob }: Query): string {
  return `[no match for ${JSON.stringify(pattern.slice(0, 200))} in ${path}${glob === undefined ? "" : `, files ${glob}`}]`;
}
