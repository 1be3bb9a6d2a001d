import { join } from "node:path";
import { hashOf } from "../kernel/hash.ts";
import type { ProjectId } from "../kernel/ids.ts";
import { removeIndexFile } from "./index-database.ts";
import { pathsOf } from "./store-file-path.ts";
import { namesIn } from "./store-folder.ts";

/** Where no project is known, the folder stands for one. */
export function projectIndexPath(root: string, project: ProjectId | null, folder: string): string {
  if (project !== null) return pathsOf(root, { type: "project", project }).index;
  return join(root, "projects", `folder-${hashOf(folder).slice(0, 16)}.index.sqlite`);
}

/** Of all projects: they are made anew at the next search. */
export async function removeProjectIndexes(root: string): Promise<void> {
  const folder = join(root, "projects");
  for (const name of await namesIn(folder))
    if (name.endsWith(".index.sqlite")) await removeIndexFile(join(folder, name));
}
