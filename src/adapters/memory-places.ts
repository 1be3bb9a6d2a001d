import { join } from "node:path";
import type { ProjectId } from "../kernel/ids.ts";
import type { MemoryScope } from "../memory/memory-file.ts";
import { locate } from "./fs-locate.ts";
import { repositoryRoot } from "./repository.ts";

export type MemoryPlace = { readonly scope: MemoryScope; readonly folder: string };

export type MemoryHome = {
  /** Holds sessions and projects (`~/.varve`). */
  readonly home: string;
  readonly project: ProjectId | null;
  readonly cwd: string;
  /** The user's own folder, in which `.claude` lies; null: it is not looked at. */
  readonly user: string | null;
};

/** Folders of memory files, the project's first: that is the order in which they are told. */
export async function memoryPlaces({ home, project, cwd, user }: MemoryHome): Promise<readonly MemoryPlace[]> {
  const foreign = user === null ? null : await claudeFolder(user, cwd);
  return [
    ...(project === null ? [] : [{ scope: "project", folder: projectMemory(home, project) } as const]),
    { scope: "user", folder: userMemory(home) },
    ...(foreign === null ? [] : [{ scope: "claude", folder: foreign } as const]),
  ];
}

export function userMemory(home: string): string {
  return join(home, "memory");
}

export function projectMemory(home: string, project: ProjectId): string {
  return join(home, "projects", project, "memory");
}

/** Claude Code names it after the repository's path, or the folder's where there is no repository. null: there is none. */
async function claudeFolder(user: string, cwd: string): Promise<string | null> {
  const projects = join(user, ".claude", "projects");
  if ((await locate(projects)).type !== "found") return null;
  const here = await locate(cwd);
  const folder = here.type === "found" ? here.path : cwd;
  for (const place of new Set([await repositoryRoot(folder), folder])) {
    const memory = join(projects, place.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
    if ((await locate(memory)).type === "found") return memory;
  }
  return null;
}
