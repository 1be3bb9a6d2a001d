import { mainLane, type SessionId } from "../kernel/ids.ts";
import type { Index } from "../ports/index-port.ts";
import type { Stores } from "../ports/store.ts";
import { archiveOf } from "./index-archive.ts";
import { scanIndex } from "./index-scan.ts";
import { sqliteIndex } from "./index-sqlite.ts";
import { pathsOf } from "./store-file-path.ts";

/** The index of a session: in a file beside its logs, or none where they are not in `root`. */
export function sessionIndex(given: {
  readonly stores: Pick<Stores, "log" | "blobs">;
  readonly session: SessionId;
  readonly root: string | null;
}): Index {
  const archive = archiveOf(given);
  return given.root === null ? scanIndex(archive) : sqliteIndex(archive, indexPath(given.root, given.session));
}

export function indexPath(root: string, session: SessionId): string {
  return pathsOf(root, { type: "lane", session, lane: mainLane }).index;
}
