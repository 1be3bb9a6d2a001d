import type { Hash } from "../kernel/ids.ts";
import type { NotedCall } from "../mcp/measured.ts";
import type { Servers } from "../ports/servers.ts";

/** What a server's tools are made of. */
export type ServerParts = {
  readonly servers: Servers;
  readonly approvals: Approvals;
  /** Told of each result, for the cost cards. */
  readonly onResult: (call: NotedCall) => void;
  readonly now: () => number;
};

/** The definitions of tools that the user let run, across sessions. */
export type Approvals = {
  /** null: it never ran. */
  definitionOf(server: string, tool: string): Hash | null;
  approve(server: string, tool: string, definition: Hash): Promise<void>;
};
