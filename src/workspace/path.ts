/** Paths as text: `/` separates, nothing is looked up. All code above the adapters names files through this module. */

/** The absolute path without `.`, `..` and doubled slashes; a relative one starts from `from`. */
export function absolutePath(from: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${from}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Both absolute and without `..`. `/w/app` holds `/w/app` and `/w/app/x`, not `/w/app_secret` (CASES C-125). */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

/** As people write it: relative where it lies below `root`, else absolute. */
export function shownPath(root: string, path: string): string {
  if (path === root) return ".";
  return isInside(root, path) ? path.slice(root === "/" ? 1 : root.length + 1) : path;
}

/** For texts that the model reads: names may have several lines, and each would pass for a line of ours. */
export function inLine(path: string): string {
  return path.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, "?");
}
