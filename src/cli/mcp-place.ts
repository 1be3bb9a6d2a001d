import { userHome } from "../adapters/environment.ts";
import { type FoundServers, findServers } from "../adapters/server-files.ts";
import type { ServersPlace } from "../adapters/server-places.ts";
import { createMask, type Mask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { serverSecrets } from "../workspace/server-secrets.ts";
import { mergeServers, type ServerStanding } from "../workspace/server-settings.ts";
import { CommandError } from "./exit.ts";
import type { Home } from "./home.ts";
import { trustFor } from "./permissions.ts";

export type TrustFlags = { readonly trustProject?: boolean };

/** Where servers are looked for from here, for whoever is at the terminal. */
export function serversPlace({ root, cwd, project }: Home, flags: TrustFlags = {}): ServersPlace {
  return { cwd, home: root, project, user: userHome(), env: process.env, isApproved: trustFor(flags, root) };
}

/** What is handed to servers is not shown, nor what our own environment holds. */
export function serversMask({ all }: Pick<FoundServers, "all">): Mask {
  const values = [...serverSecrets(all.map(({ server }) => server.entry)), ...secretValues(process.env, [])];
  return createMask({ values, shapes: "masked" });
}

/** The server that holds under a name; one that is not there ends the command with those that are. */
export async function serverNamed(place: ServersPlace, name: string): Promise<ServerStanding> {
  const holding = mergeServers((await findServers(place)).all);
  const found = holding.find(({ server }) => server.entry.name === name);
  if (found !== undefined) return found;
  const names = holding.map(({ server }) => server.entry.name);
  const known = names.length === 0 ? "no server is configured here" : `those here are ${names.join(", ")}`;
  throw new CommandError(`there is no MCP server ${JSON.stringify(name)}; ${known}`);
}
