import type { Approvals } from "../agent/server-parts.ts";
import type { Hash, ProjectId } from "../kernel/ids.ts";
import type { LogStore } from "../ports/store.ts";
import { type ProjectFold, projectStream } from "./project-stream.ts";

/**
 * Which definitions of servers' tools the user let run, in the stream that all sessions of the project share. What cannot be
 * read counts as nothing allowed before; what cannot be saved is told and holds for this process.
 */
export async function toolApprovals(
  log: LogStore,
  project: ProjectId | null,
  note: (text: string) => void,
): Promise<Approvals> {
  const stream = project === null ? null : projectStream(log, project, "what was allowed of servers' tools");
  const known = new Map((await stream?.read(fold).catch(() => empty)) ?? empty);
  return {
    definitionOf: (server, tool) => known.get(keyOf(server, tool)) ?? null,
    async approve(server, tool, definition) {
      known.set(keyOf(server, tool), definition);
      const fault = await stream?.append(fold, (now) =>
        now.get(keyOf(server, tool)) === definition
          ? []
          : [{ type: "tool-approved", server, tool, definition, by: "user" }],
      );
      if (fault != null) note(fault);
    },
  };
}

type Approved = ReadonlyMap<string, Hash>;
const empty: Approved = new Map();

const fold: ProjectFold<Approved> = {
  empty,
  step: (sum, entry) =>
    entry.type === "tool-approved" ? new Map([...sum, [keyOf(entry.server, entry.tool), entry.definition]]) : sum,
};

function keyOf(server: string, tool: string): string {
  return `${server}\n${tool}`;
}
