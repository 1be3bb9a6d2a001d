import { bounds } from "../kernel/bounds.ts";
import { compileGlob, type Glob } from "../workspace/glob.ts";
import { absolutePath, isInside, shownPath } from "../workspace/path.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { countOf } from "./read-lines.ts";
import { type Search, search } from "./ripgrep.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

export function globTool(options: Search): Tool {
  return defineTool({
    name: "Glob",
    description: "Find files by name, like *.ts (any folder) or src/**/*.{js,ts}. Ignored files are left out.",
    fields: {
      pattern: { type: "string", optional: false },
      path: { type: "string", description: "folder", optional: true },
    },
    readOnly: true,
    plan: ({ pattern, path = "." }) => {
      if (pattern === "") return "pattern: expected a file pattern, got an empty string.";
      const glob = compileGlob(pattern);
      if (glob.type === "bad") return `pattern: ${glob.why}.`;
      return {
        access: { type: "read", path },
        title: `Glob ${pattern} in ${path}`,
        run: (context, signal) => findFiles(options, { pattern, path, glob }, context, signal),
      };
    },
  });
}

type Query = { readonly pattern: string; readonly path: string; readonly glob: Extract<Glob, { readonly type: "ok" }> };

async function findFiles(
  options: Search,
  query: Query,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const found = await search(options, { path: query.path, args: ["--files", "--null"] }, context, signal);
  if (found.type === "ended") return found.outcome;
  const matches = matcherOf(query, found.base);
  if (matches === null)
    return failed(`Glob: pattern ${query.pattern} is outside ${query.path}; patterns are relative to path.`);
  const cwd = await options.boundary.place(".", context.cwd);
  const shownRoot = cwd.type === "unusable" ? context.cwd : cwd.path;
  const paths = found.stdout
    .split("\0")
    .map((path) => path.replace(/^\.\//, ""))
    .filter((path) => path !== "" && matches(path) && options.boundary.hides?.(absolutePath(found.base, path)) !== true)
    .map((path) => shownPath(shownRoot, absolutePath(found.base, path)))
    // By code units: the same order in every locale.
    .sort();
  const shown = paths.slice(0, bounds.globFilesMax);
  const notes = [
    ...(paths.length === 0 ? [`[no file matches ${query.pattern} in ${query.path}]`] : []),
    ...(shown.length < paths.length
      ? [`[${shown.length} of ${countOf(paths.length, "file")} shown; narrow the pattern]`]
      : []),
    ...(found.partial === null ? [] : [`[not complete: ${found.partial}]`]),
  ];
  return done([...shown, ...notes].join("\n"), { form: "output" });
}

/** Absolute patterns are common; they are taken from the searched folder on, or they lead outside it. */
function matcherOf({ pattern, glob }: Query, base: string): ((path: string) => boolean) | null {
  if (!pattern.startsWith("/")) return glob.matches;
  const fixed = pattern.slice(0, pattern.search(/[*?[{]|$/));
  if (!isInside(base, absolutePath("/", fixed)) && !isInside(absolutePath("/", fixed), base)) return null;
  return (path) => glob.matches(absolutePath(base, path).slice(1));
}
