import type { ProjectId, SessionId } from "../kernel/ids.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Fs } from "../ports/fs.ts";
import type { ProjectIndex } from "../ports/project-index.ts";
import type { FindProgram, Shell } from "../ports/shell.ts";
import type { Stores } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import type { Mask } from "../secrets/mask.ts";
import type { Boundary } from "../workspace/boundary.ts";
import { projectFiles } from "./project-files.ts";
import { projectIndex } from "./project-index.ts";
import { projectIndexPath } from "./project-index-path.ts";
import { projectSessions } from "./project-sessions.ts";

/** Whose index it is: where it is kept, and which sessions belong to it. */
export type ProjectPlace = {
  readonly stores: Pick<Stores, "log" | "blobs">;
  readonly clock: Clock;
  /** Where the stores are; null: nowhere on the disk, and so nothing is kept. */
  readonly root: string | null;
  readonly project: ProjectId | null;
  /** The session that asks, or null. */
  readonly own: SessionId | null;
  /** Left out: words alone decide what is found. */
  readonly embedder?: Embedder;
};

/** The index of the workspace's project: nothing is read and no file is made before the first search. */
export function projectSearch(
  place: ProjectPlace,
  workspace: {
    readonly fs: Fs;
    readonly shell: Shell;
    readonly findRipgrep: FindProgram;
    readonly boundary: Boundary;
    readonly mask: Mask;
  },
): ProjectIndex {
  const { fs, mask, ...search } = workspace;
  const { stores, project, own, clock, root, embedder = null } = place;
  const path = root === null ? null : projectIndexPath(root, project, search.boundary.roots[0] ?? "");
  const files = projectFiles({ fs, mask, search });
  return projectIndex({ files, sessions: projectSessions({ stores, project, own }), mask, clock, path, embedder });
}

/** Where there is nothing to search. */
export const noProject: ProjectIndex = {
  original: async () => null,
  search: async () => ({ fragments: [], near: [], searched: { files: 0, pieces: 0, sessions: 0 }, left: 0, notes: [] }),
};
