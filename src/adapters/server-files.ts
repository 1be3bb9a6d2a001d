import { readFile, stat } from "node:fs/promises";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { own } from "../kernel/own.ts";
import { inLine } from "../workspace/path.ts";
import { faulty, joined, noServers, parseServers, serversIn } from "../workspace/server-file.ts";
import {
  mergeServers,
  type ReadServers,
  type ServerSettings,
  type ServerStanding,
  standingEntry,
} from "../workspace/server-settings.ts";
import { codeOf, explain } from "./fs-error.ts";
import { repositoryRoot } from "./repository.ts";
import { type ServersFile, type ServersPlace, serverChoices, serverPlaces } from "./server-places.ts";

/** What every file says of servers, whether it holds or another's takes its place. */
export type FoundServers = {
  readonly all: readonly ServerStanding[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
};

/** The servers of a session here, each with the reason where it is not to be started, and what the user should know. */
export async function serversFor(place: ServersPlace): Promise<ServerSettings> {
  const { all, faults, warnings } = await findServers(place);
  return { entries: mergeServers(all).map(standingEntry), faults, warnings: [...warnings, ...waiting(all)] };
}

/** Looks only, and never throws for what it finds. */
export async function findServers(place: ServersPlace): Promise<FoundServers> {
  const files = await serverPlaces(place);
  const [reads, choices] = await Promise.all([
    Promise.all(files.map((file) => readFrom(file, place))),
    choicesOf(place),
  ]);
  const all = await Promise.all(
    reads.flatMap(({ file, read }) =>
      read.servers.map(async (server): Promise<ServerStanding> => {
        const isTrusted = file.trust === "the user's own" || (await place.isApproved(approvableOf(server)));
        const chosen = own(choices.chosen, server.entry.name) ?? null;
        return { server, trust: isTrusted ? "trusted" : "not approved", chosen };
      }),
    ),
  );
  return {
    all,
    faults: [...reads.flatMap(({ read }) => read.faults), ...choices.faults],
    warnings: reads.flatMap(({ read }) => read.warnings),
  };
}

/** An approval is of one entry: this content under this name in this file. */
export function approvableOf({ entry, written }: ServerStanding["server"]): {
  readonly path: string;
  readonly text: string;
} {
  return { path: `${entry.source}#${entry.name}`, text: written };
}

/** One line per file; of those that nobody wants here, or that do not work anyway, nothing is said. */
function waiting(all: readonly ServerStanding[]): readonly string[] {
  const open = all.filter((one) => one.trust === "not approved" && isWanted(one));
  const files = new Set(open.map(({ server }) => server.entry.source));
  return [...files].map((file) => {
    const names = open.flatMap(({ server: { entry } }) => (entry.source === file ? [inLine(entry.name)] : []));
    return (
      `${file}: not approved, so not started: ${names.join(", ")}; ` +
      "see and approve with `varve trust`, or for one run with --trust-project"
    );
  });
}

function isWanted(standing: ServerStanding): boolean {
  return standingEntry({ ...standing, trust: "trusted" }).off === null;
}

type Read = { readonly file: ServersFile; readonly read: ReadServers };

async function readFrom(file: ServersFile, place: ServersPlace): Promise<Read> {
  const text = await textOf(
    file.file,
    file.holds === "claude" ? bounds.serversForeignBytesMax : bounds.settingsBytesMax,
  );
  if (text === null) return { file, read: noServers };
  if (text.type === "bad") return { file, read: faulty(`${file.file}: ${text.why}`) };
  return {
    file,
    read: file.holds === "claude" ? await claudeServers(text.text, file, place) : parseServers(text.text, file),
  };
}

/** null: there is no such file. A pipe or a device would never end. */
async function textOf(
  path: string,
  bytesMax: number,
): Promise<{ readonly type: "ok"; readonly text: string } | { readonly type: "bad"; readonly why: string } | null> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { type: "bad", why: "it is not a regular file" };
    if (found.size > bytesMax) return { type: "bad", why: `it holds more than ${bytesMax} bytes` };
    return { type: "ok", text: await readFile(path, "utf8") };
  } catch (error) {
    const isAbsent = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    return isAbsent ? null : { type: "bad", why: `it cannot be read: ${explain(error)}` };
  }
}

/** Its top-level servers are the user's, those under this project's folder are local. What else is in it is not ours to judge. */
async function claudeServers(text: string, file: ServersFile, { cwd }: ServersPlace): Promise<ReadServers> {
  const parsed = parseJson(text);
  if (parsed.type === "bad") return faulty(`${file.file}: not valid JSON: ${parsed.why}`);
  if (!isRecord(parsed.value)) return noServers;
  const { mcpServers, projects } = parsed.value;
  const reads: ReadServers[] = [];
  for (const folder of new Set([cwd, await repositoryRoot(cwd)])) {
    const project = isRecord(projects) ? own(projects, folder) : undefined;
    if (!isRecord(project) || project.mcpServers === undefined) continue;
    const field = `projects[${JSON.stringify(folder)}].mcpServers`;
    reads.push(serversIn(project.mcpServers, { ...file, scope: "local" }, { field, node: undefined }));
  }
  if (mcpServers !== undefined) reads.push(serversIn(mcpServers, file, { field: "mcpServers", node: undefined }));
  return joined(reads);
}

type Choices = { readonly chosen: Readonly<Record<string, "on" | "off">>; readonly faults: readonly string[] };

/** What cannot be read is said, and means nothing: a server that was switched off would rather be asked about again. */
async function choicesOf({ home, project }: Pick<ServersPlace, "home" | "project">): Promise<Choices> {
  if (home === null || project === null) return { chosen: {}, faults: [] };
  const path = serverChoices(home, project);
  const text = await textOf(path, bounds.settingsBytesMax);
  if (text === null) return { chosen: {}, faults: [] };
  const parsed = text.type === "bad" ? text : parseJson(text.text);
  if (parsed.type === "bad") return { chosen: {}, faults: [`${path}: ${parsed.why}`] };
  const chosen = Object.entries(isRecord(parsed.value) ? parsed.value : {}).flatMap(
    ([name, use]): readonly (readonly [string, "on" | "off"])[] => (use === "on" || use === "off" ? [[name, use]] : []),
  );
  return { chosen: Object.fromEntries(chosen), faults: [] };
}
