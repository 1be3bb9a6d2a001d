import { bounds } from "../kernel/bounds.ts";
import type { FileKind, Fs, Located } from "../ports/fs.ts";
import { absolutePath, isInside } from "./path.ts";

/**
 * Where a path stands towards the workspace. `path` is located (no links in it): use it, not the one that was asked for.
 * `guarded` is inside, but what lies there can start commands (hooks, settings), so writing to it is never a routine edit.
 */
export type Place =
  | {
      readonly type: "inside" | "guarded" | "outside";
      readonly path: string;
      readonly file: { readonly kind: FileKind; readonly bytes: number } | null;
    }
  | { readonly type: "unusable"; readonly why: string };

export type Check = Exclude<Place, { readonly type: "unusable" }> | { readonly type: "refused"; readonly why: string };

export interface Boundary {
  readonly roots: readonly string[];
  place(path: string, cwd: string): Promise<Place>;
  /** What tools ask before they touch anything: `place`, with outside refused unless it is allowed. Default: for writing. */
  check(path: string, cwd: string, touch?: "read" | "write"): Promise<Check>;
  /** Whether a located path outside may be read all the same: it lies in a folder that is lent for now. */
  lends(path: string): boolean;
  /** Files that a search leaves out, by located path; null: it leaves none out. */
  readonly hides: ((path: string) => boolean) | null;
}

/**
 * The roots are located once, so a root may itself be a link, and one that is turned elsewhere later moves nothing.
 * Hard links cannot be told from files: reading through one that was put into the workspace is allowed, and writing
 * replaces the name, never the shared content.
 */
export async function createBoundary(options: {
  readonly fs: Pick<Fs, "locate">;
  readonly roots: readonly string[];
  /** Asked at each check: the permission mode may change within a session. */
  readonly outsideAllowed: () => boolean;
  /** Located folders outside that may be read for now, such as those of skills in use. Default: none. */
  readonly lent?: () => readonly string[];
  /** What a search must not show although it lies inside these (located) roots. Default: nothing. */
  readonly hidden?: (roots: readonly string[]) => Boundary["hides"];
  /** Folders that are guarded whatever they are called, such as the one that holds the user's settings and approvals. */
  readonly guarded?: readonly string[];
}): Promise<Boundary> {
  const roots = await Promise.all(options.roots.map((root) => locatedRoot(options.fs, root)));
  const guarded = await Promise.all((options.guarded ?? []).map((folder) => locatedRoot(options.fs, folder)));
  const place = async (path: string, cwd: string): Promise<Place> => {
    if (path === "" || path.includes("\0"))
      return { type: "unusable", why: "a path must not be empty or hold a NUL byte" };
    const located = await locatedAsWalked(options.fs, path, cwd);
    if (located.type === "unusable") return located;
    const file = located.type === "found" ? { kind: located.kind, bytes: located.bytes } : null;
    const type = typeOfPlace(roots, located.path);
    const isGuarded = type === "inside" && guarded.some((folder) => isInside(folder, located.path));
    return { type: isGuarded ? "guarded" : type, path: located.path, file };
  };
  const lends = (path: string) => options.lent?.().some((folder) => isInside(folder, path)) === true;
  const check: Boundary["check"] = async (path, cwd, touch = "write") => {
    const found = await place(path, cwd);
    if (found.type === "unusable") return { type: "refused", why: `${path}: ${found.why}` };
    const isLent = touch === "read" && found.type === "outside" && lends(found.path);
    if (found.type === "outside" && !isLent && !options.outsideAllowed())
      return { type: "refused", why: outsideMessage(path, roots) };
    return found;
  };
  return { roots, place, check, lends, hides: options.hidden?.(roots) ?? null };
}

/**
 * As the system walks it: a `..` behind a link is the parent of where the link leads, so `link/../x` is not `x`. A command
 * gets the path as it was written, so its place is looked up that way too.
 */
async function locatedAsWalked(fs: Pick<Fs, "locate">, path: string, cwd: string): Promise<Located> {
  const legs = (path.startsWith("/") ? path : `${cwd}/${path}`).split(/\/\.\.(?=\/|$)/);
  if (legs.length > bounds.pathStepsUpMax) return { type: "unusable", why: "it goes up too often" };
  const [first = "", ...others] = legs;
  let located = await fs.locate(absolutePath("/", first));
  for (const leg of others) {
    if (located.type === "unusable") return located;
    located = await fs.locate(absolutePath(located.path, `../${leg}`));
  }
  return located;
}

export function outsideMessage(path: string, roots: readonly string[]): string {
  return `${path} leads outside the workspace (${roots.join(", ")}); only files inside it can be used.`;
}

async function locatedRoot(fs: Pick<Fs, "locate">, root: string): Promise<string> {
  const located = await fs.locate(root);
  return located.type === "unusable" ? root : located.path;
}

/** Hooks, settings of agents and editors, and what shells and git read when they start. */
export const guardedNames: ReadonlySet<string> = new Set([
  ...[".git", ".varve", ".claude", ".husky", ".vscode", ".idea", ".mcp.json", ".envrc", ".gitconfig"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"],
]);

function typeOfPlace(roots: readonly string[], path: string): "inside" | "guarded" | "outside" {
  const root = roots.find((candidate) => isInside(candidate, path));
  if (root === undefined) return "outside";
  const below = path.slice(root.length).split("/");
  return below.some((part) => guardedNames.has(part.toLowerCase())) ? "guarded" : "inside";
}
