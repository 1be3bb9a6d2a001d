import type { ServerLimits } from "../ports/servers.ts";

/** How a server is reached. */
export type ServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Set for it beside a clean environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Whose a server is: `given` by whoever uses the library. The strongest comes first. */
export type ServerScope = (typeof serverScopes)[number];
const serverScopes = ["given", "local", "project", "user"] as const;

export type ServerEntry = {
  /** Its key: the alias by which tools are named. */
  readonly name: string;
  /** Its file, for people. */
  readonly source: string;
  readonly scope: ServerScope;
  /** null: its entry cannot be read, and `off` says why. */
  readonly launch: ServerLaunch | null;
  readonly limits: ServerLimits;
  /** Why it is not started: disabled, not approved, not readable; null: it is. */
  readonly off: string | null;
};

/** `faults`: entries and files that do not work; `warnings`: what of the others has no effect. */
export type ServerSettings = {
  readonly entries: readonly ServerEntry[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
};

/** One entry as its file has it. */
export type ReadServer = {
  /** `off`: why it is never started, whatever the user chooses. */
  readonly entry: ServerEntry;
  /** As its file says it. */
  readonly use: "on" | "disabled";
  /** What an approval is of: the entry's own content, before variables. */
  readonly written: string;
  /** What it does, for people: the program or address as written, and the names of what is handed to it. */
  readonly does: string;
  /** All that an approval of it frees, line by line. */
  readonly frees: readonly string[];
};

export type ReadServers = Omit<ServerSettings, "entries"> & { readonly servers: readonly ReadServer[] };

/** What is known of an entry beside its file. */
export type ServerStanding = {
  readonly server: ReadServer;
  readonly trust: "trusted" | "not approved";
  /** What the user chose in this project with `varve mcp enable` and `disable`; null: nothing, and the file's word holds. */
  readonly chosen: "on" | "off" | null;
};

/**
 * Of several entries of one name the strongest scope's is taken whole; within a scope the first. One that came with the project
 * and was not approved gives way to one of the user's own. In the order of their names, by code units.
 */
export function mergeServers(all: readonly ServerStanding[]): readonly ServerStanding[] {
  const ordered = [...all].sort((a, b) => rank(a) - rank(b));
  const found = new Map<string, ServerStanding>();
  for (const one of ordered) if (!found.has(nameOf(one))) found.set(nameOf(one), one);
  return [...found.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function rank({ server, trust }: ServerStanding): number {
  return serverScopes.indexOf(server.entry.scope) + (trust === "trusted" ? 0 : serverScopes.length);
}

function nameOf({ server }: ServerStanding): string {
  return server.entry.name;
}

/** The entry with the reason why it is not started. What nobody wants here need not be approved. */
export function standingEntry({ server, trust, chosen }: ServerStanding): ServerEntry {
  const { entry, use } = server;
  if (entry.off !== null) return entry;
  if (chosen === "off") return { ...entry, off: "disabled in this project; `varve mcp enable` starts it again" };
  if (use === "disabled" && chosen === null) return { ...entry, off: `disabled in ${entry.source}` };
  return trust === "trusted" ? entry : { ...entry, off: "not approved; see and approve it with `varve trust`" };
}
