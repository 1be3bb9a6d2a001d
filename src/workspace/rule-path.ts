import ignore, { type Ignore } from "ignore";
import { isInside } from "./path.ts";

/** A pattern of a `.gitignore` line, and where it starts: the whole disk, the home folder, or the project. */
export type PathPattern = {
  readonly from: "disk" | "home" | "project";
  /** Letters of either case are one for what is refused; for what is allowed they are two. */
  readonly loose: Ignore;
  readonly exact: Ignore;
};

export type PathBases = { readonly home: string; readonly roots: readonly string[] };

/** `//abs`, `~/in/home`, `/from/the/project`, `./here`, `name-at-any-depth`. */
export function pathPattern(
  text: string,
): { readonly type: "ok"; readonly pattern: PathPattern } | { readonly type: "bad"; readonly why: string } {
  if (text !== text.trim()) return bad("a path has no blanks around it");
  if (/^[!#]/.test(text)) return bad("a path does not begin with ! or #");
  if (text.includes("\0") || text.includes("\\")) return bad("a path has no backslash and no NUL byte");
  if (/^~(?!\/)/.test(text)) return bad("of ~ only ~/... is known, the own home folder");
  if (/^\$\{?[A-Z_]+\}?(?:\/|$)/.test(text)) return bad("variables are not filled in; ~/... is the home folder");
  if (/^[A-Za-z][\w+.-]*:\//.test(text)) return bad("a path has no drive and no scheme");
  if (/\{[^{}]*,[^{}]*\}/.test(text)) return bad("{a,b} is not known in paths; write a rule for each");
  if (/\[[^\]]*$/.test(text)) return bad("a [ is not closed");
  const { from, line } = anchored(text);
  if (line.split("/").includes("..")) return bad("a path has no .. in it; //abs names a place outside the project");
  if (/^\/*$/.test(line)) return bad("expected a path, such as ./secrets/** or //etc/**");
  const compiled = (ignorecase: boolean) => ignore({ ignorecase }).add(line);
  return { type: "ok", pattern: { from, loose: compiled(true), exact: compiled(false) } };
}

function anchored(text: string): { readonly from: PathPattern["from"]; readonly line: string } {
  if (text.startsWith("//")) return { from: "disk", line: text.slice(1) };
  if (text.startsWith("~/")) return { from: "home", line: text.slice(1) };
  return { from: "project", line: text.startsWith("./") ? text.slice(1) : text };
}

/** `path` is absolute. A project's pattern holds below each root of the workspace. */
export function matchesPath(
  pattern: PathPattern,
  path: string,
  { home, roots }: PathBases,
  letters: "loose" | "exact",
): boolean {
  const bases = { disk: ["/"], home: [home], project: roots }[pattern.from];
  return bases.some((base) => {
    if (!isInside(base, path)) return false;
    const below = path.slice(base === "/" ? 1 : base.length + 1);
    if (below === "") return false;
    // Where everything in a folder is refused, so is the folder: a command that names it would go through all of it.
    return pattern[letters].ignores(below) || (letters === "loose" && pattern.loose.ignores(`${below}/${anyName}`));
  });
}

const anyName = "\u{10fffd}";

function bad(why: string): { readonly type: "bad"; readonly why: string } {
  return { type: "bad", why };
}
