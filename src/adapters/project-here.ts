import type { ProjectIndex } from "../ports/project-index.ts";
import { createMask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { createBoundary } from "../workspace/boundary.ts";
import type { Guards } from "../workspace/guards.ts";
import { hiding } from "../workspace/permission-rules.ts";
import type { Rule } from "../workspace/rule.ts";
import { systemClock } from "./clock.ts";
import { userHome } from "./environment.ts";
import { nodeFs } from "./fs.ts";
import { removeIndexFile } from "./index-database.ts";
import { projectIndexPath } from "./project-index-path.ts";
import { type ProjectPlace, projectSearch } from "./project-search.ts";
import { findRipgrep } from "./ripgrep.ts";
import { nodeShell } from "./shell.ts";

/** The index of a folder's project without a session: with the rules, folders and mask that a session there would have. */
export async function projectHere(given: {
  readonly place: Pick<ProjectPlace, "stores" | "project"> & { readonly root: string };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly rules: readonly Rule[];
  readonly directories: readonly string[];
  readonly guards: Guards;
}): Promise<{ readonly project: ProjectIndex; readonly folder: string; readonly forget: () => Promise<void> }> {
  const { place, cwd, env, rules, directories, guards } = given;
  const { root, stores, project } = place;
  const fs = nodeFs();
  const hidden = (roots: readonly string[]) => hiding(rules, { home: userHome(), roots });
  const boundary = await createBoundary({ fs, roots: [cwd, ...directories], outsideAllowed: () => false, hidden });
  const values = secretValues({ ...env, ...guards.env.set }, []);
  const mask = createMask({ values, shapes: guards.redact === "on" ? "masked" : "shown" });
  const [folder = cwd] = boundary.roots;
  const workspace = { fs, shell: nodeShell({ env }), findRipgrep, boundary, mask };
  return {
    project: projectSearch({ stores, clock: systemClock, root, project, own: null }, workspace),
    folder,
    forget: async () => await removeIndexFile(projectIndexPath(root, project, folder)),
  };
}
