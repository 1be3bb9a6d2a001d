import { addServer, chooseServer, removeServer, type ServerEdit, type ServerFile } from "../adapters/server-edit.ts";
import { approvableOf, findServers } from "../adapters/server-files.ts";
import { localServers, sharedServers, userServers } from "../adapters/server-places.ts";
import { type ServerStanding, standingEntry } from "../workspace/server-settings.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { type Home, openHome, viewHome } from "./home.ts";
import { type AddFlags, addedEntry } from "./mcp-added.ts";
import { serverNamed, serversPlace } from "./mcp-place.ts";
import { homeOf, oneOf } from "./settings.ts";
import { say } from "./terminal.ts";
import { approve } from "./trusted.ts";

type ScopeFlags = { readonly scope?: string };

const ownScopes = ["local", "project", "user"] as const;
type OwnScope = (typeof ownScopes)[number];

/** `varve mcp add`: into a file of ours, or into `.mcp.json`, which the user approves by writing it. */
export async function runMcpAdd(
  name: string,
  operands: readonly string[],
  flags: AddFlags & ScopeFlags,
): Promise<number> {
  const scope = oneOf("--scope", ownScopes, flags.scope ?? "local");
  const home = await hereFor(scope);
  const file = await fileFor(scope, home);
  const { entry, warnings } = addedEntry({ name, operands, flags, file: file.path });
  ended(await addServer(file, name, entry));
  for (const warning of warnings) say(`varve: ${warning}`);
  const place = serversPlace(home);
  const { all } = await findServers(place);
  const added = all.find(({ server }) => server.entry.name === name && server.entry.source === file.path);
  if (scope === "project" && added !== undefined) await approve(home.root, approvableOf(added.server));
  say(`varve: added ${name} to ${file.path}${behind(await serverNamed(place, name), file.path)}`);
  return exitCodes.done;
}

/** A stronger file's entry of that name is the one that counts. */
function behind({ server }: ServerStanding, path: string): string {
  return server.entry.source === path ? "" : `; the one of ${server.entry.source} comes before it`;
}

/** `varve mcp remove`: out of a file of ours; where several have one of that name, the user says which. */
export async function runMcpRemove(name: string, flags: ScopeFlags): Promise<number> {
  const scope = flags.scope === undefined ? null : oneOf("--scope", ownScopes, flags.scope);
  const home = await viewHome(homeOf(process.env), process.cwd());
  const files = await Promise.all((scope === null ? ownScopes : [scope]).map((one) => fileFor(one, home)));
  const { all } = await findServers(serversPlace(home));
  const sources = all.flatMap(({ server: { entry } }) => (entry.name === name ? [entry.source] : []));
  const holding = files.filter(({ path }) => sources.includes(path));
  if (holding.length > 1)
    throw new UsageError(`${name} stands in ${holding.map(({ path }) => path).join(" and ")}: say which with --scope`);
  const [file] = holding;
  if (file === undefined) throw new CommandError(notOurs(name, sources));
  ended(await removeServer(file, name));
  say(`varve: removed ${name} from ${file.path}`);
  return exitCodes.done;
}

function notOurs(name: string, [source]: readonly string[]): string {
  if (source === undefined) return `there is no MCP server ${JSON.stringify(name)} to remove`;
  return `${name} stands in ${source}, which is not changed from here; \`varve mcp disable\` keeps it from being started`;
}

/** `varve mcp enable` and `disable`: what is chosen here is kept in the home, and holds for this project. */
export async function runMcpUse(name: string, use: "on" | "off"): Promise<number> {
  await serverNamed(serversPlace(await viewHome(homeOf(process.env), process.cwd())), name);
  const home = await openHome(homeOf(process.env), process.cwd());
  if (home.project === null) throw new CommandError("this folder belongs to no project");
  ended(await chooseServer({ home: home.root, project: home.project }, name, use));
  const { off } = standingEntry(await serverNamed(serversPlace(home), name));
  const still = use === "on" && off !== null ? `; it is not started all the same: ${off}` : "";
  say(`varve: ${name} is ${use === "on" ? "enabled" : "disabled"} in this project${still}`);
  return exitCodes.done;
}

async function hereFor(scope: OwnScope): Promise<Home> {
  return await (scope === "local" ? openHome : viewHome)(homeOf(process.env), process.cwd());
}

async function fileFor(scope: OwnScope, { root, cwd, project }: Home): Promise<ServerFile> {
  if (scope === "project") return { path: await sharedServers(cwd), readers: "as others" };
  if (scope === "user") return { path: userServers(root), readers: "private" };
  if (project === null) throw new CommandError("this folder belongs to no project");
  return { path: localServers(root, project), readers: "private" };
}

function ended(edit: ServerEdit): void {
  if (edit.type === "refused") throw new CommandError(edit.why);
  if (edit.type === "absent") throw new CommandError("there is no such server");
}
