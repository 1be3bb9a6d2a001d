export type FileKind = "file" | "folder" | "device" | "pipe" | "socket" | "other";

/**
 * Where a path really leads. `path` is free of links in every part. `absent`: nothing is there yet, and this is where a
 * new file would come to be, the links of its existing parents (and a dangling link at its end) followed.
 */
export type Located =
  | { readonly type: "found"; readonly path: string; readonly kind: FileKind; readonly bytes: number }
  | { readonly type: "absent"; readonly path: string }
  | { readonly type: "unusable"; readonly why: string };

/** `more`: the file goes on behind what was read. */
export type FileRead =
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly more: boolean }
  | { readonly type: "failed"; readonly why: string };

export type FileWritten = { readonly type: "written" } | { readonly type: "failed"; readonly why: string };

/**
 * The files that tools work on. Paths are absolute. `read` and `write` take a *located* path (one without links): should
 * any part of it have become a link since, they fail rather than follow it. Nothing here throws for what a disk can do.
 */
export interface Fs {
  locate(path: string): Promise<Located>;
  /** Regular files only: devices, pipes and sockets fail, they never hang. */
  read(path: string, bytesMax: number): Promise<FileRead>;
  /** All or nothing; makes missing parent folders; an existing file's mode is kept. */
  write(path: string, bytes: Uint8Array): Promise<FileWritten>;
}
