import { join } from "node:path";
import type { ProjectId } from "../kernel/ids.ts";
import type { ServersSource } from "../workspace/server-entry.ts";
import { repositoryRoot } from "./repository.ts";

export type ServersPlace = {
  readonly cwd: string;
  /** Varve's own folder; null: nothing is kept anywhere. */
  readonly home: string | null;
  readonly project: ProjectId | null;
  /** The user's home folder; null: nothing of other programs of the user's is looked at. */
  readonly user: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the user approved what stands at that place. */
  readonly isApproved: (file: { readonly path: string; readonly text: string }) => Promise<boolean>;
};

export type ServersFile = ServersSource & {
  /** `claude`: Claude Code's own file, which holds much else, and servers per project in it. */
  readonly holds: "servers" | "claude";
  readonly trust: "the user's own" | "by entry";
};

/** Where servers may be named, the strongest first within a scope, whether the files exist or not. */
export async function serverPlaces(place: ServersPlace): Promise<readonly ServersFile[]> {
  const { cwd, home, user, env } = place;
  const root = await repositoryRoot(cwd);
  const own = (file: string, scope: "local" | "user"): ServersFile => ({
    ...{ file, scope, cwd, env: { ...env, ...standing(root, user) } },
    ...({ written: "ours", holds: "servers", trust: "the user's own" } as const),
  });
  const files = [
    ...(place.project === null || home === null ? [] : [own(localServers(home, place.project), "local")]),
    ...(home === null ? [] : [own(userServers(home), "user")]),
    ...(user === null
      ? []
      : [{ ...own(join(user, ".claude.json"), "user"), written: "foreign", holds: "claude" } as const]),
  ];
  const names = new Set(files.map(({ file }) => file));
  const inProject = [...new Set([cwd, root])].flatMap((folder) =>
    projectNames.map(({ name, written }): ServersFile => {
      const variables = { ...env, ...standing(folder, user) };
      const file = join(folder, name);
      return { file, scope: "project", written, cwd: folder, env: variables, holds: "servers", trust: "by entry" };
    }),
  );
  return [...files, ...inProject.filter(({ file }) => !names.has(file))];
}

/** Of one folder, the nearest to us first. */
const projectNames = [
  { name: join(".varve", "mcp.json"), written: "ours" },
  { name: ".mcp.json", written: "foreign" },
  { name: join(".cursor", "mcp.json"), written: "foreign" },
] as const;

/** Variables that other programs set for their files. */
function standing(folder: string, user: string | null): Readonly<Record<string, string>> {
  const variables = { CLAUDE_PROJECT_DIR: folder, workspaceFolder: folder };
  return user === null ? variables : { ...variables, userHome: user };
}

export function userServers(home: string): string {
  return join(home, "mcp.json");
}

/** The user's own servers for one project. */
export function localServers(home: string, project: ProjectId): string {
  return join(home, "projects", project, "mcp.json");
}

/** What the user chose in one project of servers that stand anywhere. */
export function serverChoices(home: string, project: ProjectId): string {
  return join(home, "projects", project, "mcp-choices.json");
}

/** `.mcp.json`, where others look for it too. */
export async function sharedServers(cwd: string): Promise<string> {
  return join(await repositoryRoot(cwd), ".mcp.json");
}
