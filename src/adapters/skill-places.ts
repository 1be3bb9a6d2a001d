import { dirname, join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { SkillScope } from "../ports/skills.ts";
import { isInside, shownPath } from "../workspace/path.ts";
import { foldersUp } from "./repository.ts";

/** A folder of skills, whether it exists or not. `list`: see `FoundSkill`. */
export type SkillFolder = {
  readonly folder: string;
  readonly scope: Exclude<SkillScope, "bundled">;
  readonly base: string;
  readonly list: string;
};

export type SkillHome = {
  readonly cwd: string;
  /** The user's home folder; null: nothing of the user's own is looked at. */
  readonly user: string | null;
  /** Varve's own folder in it. */
  readonly home: string;
  /** Whether the user approved what stands at that place. */
  readonly isApproved: (file: { readonly path: string; readonly text: string }) => Promise<boolean>;
};

/** Nearest first: folders below the working directory in which something was touched, then up to the root, then the user's own. */
export function skillFolders(at: SkillHome, root: string, touched: readonly string[]): readonly SkillFolder[] {
  const own = ownFolders(at);
  const user = own.map((folder): SkillFolder => ({ folder, scope: "user", base: root, list: "list" }));
  const inProject = (base: string, list: string) =>
    projectNames
      .map((name) => join(base, name, "skills"))
      .filter((folder) => !own.includes(folder))
      .map((folder): SkillFolder => ({ folder, scope: "project", base, list }));
  const below = foldersBelow(at.cwd, touched).flatMap((base) => inProject(base, `list of ${shownPath(at.cwd, base)}`));
  return [...below, ...foldersUp(at.cwd, root).flatMap((base) => inProject(base, "list")), ...user];
}

export function ownFolders({ user, home }: SkillHome): readonly string[] {
  return user === null ? [] : [join(home, "skills"), join(user, ".claude", "skills")];
}

/** Of one folder, the nearest first. */
const projectNames = [".varve", ".claude", ".agents"];

/** The deepest first; of too many, those that were touched last. */
function foldersBelow(cwd: string, touched: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of touched.toReversed()) {
    for (let at = dirname(path); at !== cwd && isInside(cwd, at); at = dirname(at)) {
      if (folders.size >= bounds.skillSubfoldersMax) break;
      if (!passedOver.test(`${shownPath(cwd, at)}/`)) folders.add(at);
    }
  }
  return [...folders].toSorted((a, b) => b.split("/").length - a.split("/").length || (a < b ? -1 : 1));
}

/** What others wrote: dependencies and git's own. */
const passedOver = /(?:^|\/)(?:node_modules|\.git)\//;
