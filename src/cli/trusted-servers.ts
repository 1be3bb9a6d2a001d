import { userHome } from "../adapters/environment.ts";
import { peekProject } from "../adapters/project.ts";
import { approvableOf, findServers } from "../adapters/server-files.ts";
import { createMask } from "../secrets/mask.ts";
import { serverSecrets } from "../workspace/server-secrets.ts";
import { type ServerEntry, standingEntry } from "../workspace/server-settings.ts";
import type { FreeingFile } from "./trusted-prompts.ts";

/** Servers that came with the project and would be started, had somebody approved them. */
export async function freeingServers({
  home,
  cwd,
}: {
  readonly home: string;
  readonly cwd: string;
}): Promise<readonly FreeingFile[]> {
  const place = { cwd, home, project: await peekProject(cwd), user: userHome(), env: process.env };
  const { all } = await findServers({ ...place, isApproved: async () => false });
  return all
    .filter((one) => one.trust === "not approved" && standingEntry({ ...one, trust: "trusted" }).off === null)
    .map(({ server }) => ({ ...approvableOf(server), freed: server.frees.map(keysHidden(server.entry)) }));
}

/** Keys among a program's arguments and in an address are masked as everywhere; of the rest, what is shown is told apart before. */
function keysHidden({ launch }: ServerEntry): (line: string) => string {
  const spoken =
    launch?.type === "stdio" ? { ...launch, env: {} } : launch === null ? null : { ...launch, headers: {} };
  return createMask({ values: serverSecrets([{ launch: spoken }]), shapes: "masked" }).text;
}
