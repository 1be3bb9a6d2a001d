import { bounds } from "../kernel/bounds.ts";
import { compileGlob } from "./glob.ts";
import { isInside } from "./path.ts";

/** Files of instructions that a folder may hold, by whose habit they are. */
export const instructionNames = {
  claude: ["CLAUDE.md", ".claude/CLAUDE.md"],
  /** The first that is there stands for both. */
  agents: ["AGENTS.override.md", "AGENTS.md"],
  local: "CLAUDE.local.md",
} as const;

/** The folders from one down to another, both included. */
export function foldersDown(from: string, to: string): readonly string[] {
  const folders = [to];
  for (let at = to; at !== from && isInside(from, at) && at !== "/"; ) {
    at = parentOf(at);
    folders.unshift(at);
  }
  return folders;
}

/**
 * Folders below the root that come in beside those of the working directory: those on the way to a file that was touched.
 * A file of instructions is not work in its folder. Nothing is taken from folders that hold other people's code.
 */
export function foldersTouched(root: string, touched: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of touched) {
    const folder = parentOf(file);
    if (!isInside(root, folder) || isOthers(root, file) || isInstructions(file)) continue;
    for (const one of foldersDown(root, folder)) folders.add(one);
  }
  return [...folders].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, bounds.instructionFoldersMax);
}

/** The folder that a file of instructions is for. */
export function folderOf(file: string): string {
  const inner = file.search(/\/\.(?:claude|cursor)\//);
  return inner === -1 ? parentOf(file) : file.slice(0, inner) || "/";
}

/** Whether a path is a file of instructions by its place and name alone. */
export function isInstructions(path: string): boolean {
  const names = [...instructionNames.claude, ...instructionNames.agents, instructionNames.local];
  return names.some((name) => path.endsWith(`/${name}`)) || /\/\.(?:claude|cursor)\/rules\//.test(path);
}

/** `claudeMdExcludes`: patterns over absolute paths. */
export function excluding(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.flatMap((pattern) => {
    const glob = compileGlob(pattern);
    return glob.type === "ok" ? [glob] : [];
  });
  return (path) => globs.some((glob) => glob.matches(path.slice(1)));
}

const others: ReadonlySet<string> = new Set([
  ...["node_modules", "bower_components", "jspm_packages", "site-packages"],
  ...[".git", ".hg", ".svn", ".jj", ".venv", ".tox", "__pycache__"],
]);

function isOthers(root: string, path: string): boolean {
  const below = path.slice(root === "/" ? 1 : root.length + 1);
  return below.split("/").some((name) => others.has(name));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}
