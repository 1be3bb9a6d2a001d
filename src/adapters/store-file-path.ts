import { join } from "node:path";
import { mainLane } from "../kernel/ids.ts";
import type { StreamId } from "../ports/store.ts";

/** Where a stream's files stand. `lease` is the beginning of its lease files' names. */
export type StreamPaths = {
  readonly key: string;
  readonly folder: string;
  readonly log: string;
  readonly lease: string;
  readonly blobs: string;
  readonly checkpoint: string;
  /** Of all lanes of a session. */
  readonly index: string;
};

/**
 *     <root>/sessions/<id>/main.jsonl  main.lease.7  checkpoint.json  index.sqlite  blobs/ab/<hash>
 *                          lanes/<lane>.jsonl  <lane>.lease.1  <lane>.checkpoint.json
 *     <root>/projects/<id>.jsonl  <id>.lease.9  <id>.checkpoint.json  <id>.blobs/ab/<hash>
 */
export function pathsOf(root: string, stream: StreamId): StreamPaths {
  if (stream.type === "project") {
    const folder = join(root, "projects");
    const id = nameOf(stream.project, "project");
    return {
      ...filesIn(folder, id),
      key: `project:${id}`,
      blobs: join(folder, `${id}.blobs`),
      index: join(folder, `${id}.index.sqlite`),
    };
  }
  const session = sessionFolder(root, stream.session);
  const lane = nameOf(stream.lane, "lane");
  const shared = {
    key: `lane:${stream.session}/${lane}`,
    blobs: join(session, "blobs"),
    index: join(session, "index.sqlite"),
  };
  if (lane !== mainLane) return { ...filesIn(join(session, "lanes"), lane), ...shared };
  return { ...filesIn(session, lane), ...shared, checkpoint: join(session, "checkpoint.json") };
}

export function sessionFolder(root: string, session: string): string {
  return join(root, "sessions", nameOf(session, "session"));
}

export function isName(id: string): boolean {
  return /^[0-9A-Za-z_][0-9A-Za-z_.-]{0,127}$/.test(id);
}

function filesIn(folder: string, name: string) {
  return {
    folder,
    log: join(folder, `${name}.jsonl`),
    lease: join(folder, `${name}.lease.`),
    checkpoint: join(folder, `${name}.checkpoint.json`),
  };
}

/** Ids come from command lines too: one that could leave its folder is no id. */
function nameOf(id: string, what: string): string {
  if (isName(id)) return id;
  throw new Error(`${JSON.stringify(id.slice(0, 80))} is no ${what} id: expected letters, digits, "-", "_" and "."`);
}
