import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { FileKind, Fs } from "../ports/fs.ts";
import type { Mask } from "../secrets/mask.ts";
import type { Boundary } from "../workspace/boundary.ts";
import type { ToolContext } from "./tool.ts";

export type Files = {
  readonly fs: Fs;
  readonly boundary: Boundary;
  /** What stands in the place of secrets in what is read. Default: nothing does. */
  readonly mask?: Mask;
};

/** `path` is the located one: the name under which reads and edits of one file meet. */
export type Opened =
  | {
      readonly type: "file";
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly hash: Hash;
      /** The file is longer than one call may capture: `bytes` is its beginning, `hash` names only that. */
      readonly more: boolean;
    }
  | { readonly type: "absent"; readonly path: string }
  | { readonly type: "failed"; readonly why: string };

export async function openFile(
  { fs, boundary }: Files,
  path: string,
  cwd: string,
  touch: "read" | "write" = "write",
): Promise<Opened> {
  const check = await boundary.check(path, cwd, touch);
  if (check.type === "refused") return { type: "failed", why: check.why };
  if (check.file === null) return { type: "absent", path: check.path };
  if (check.file.kind !== "file") return { type: "failed", why: `${path} ${notAFile[check.file.kind]}` };
  const read = await fs.read(check.path, bounds.captureBytesMax);
  if (read.type === "failed") return { type: "failed", why: `${path} cannot be read: ${read.why}.` };
  return { type: "file", path: check.path, bytes: read.bytes, hash: hashOf(read.bytes), more: read.more };
}

const notAFile: { readonly [K in Exclude<FileKind, "file">]: string } = {
  folder: 'is a folder; list it with Glob (pattern "*" and its path).',
  device: "is a device; only regular files can be used.",
  pipe: "is a pipe; only regular files can be used.",
  socket: "is a socket; only regular files can be used.",
  other: "is no regular file.",
};

/**
 * Why a text must not be written, or null: a mask in it would take the place of the secret it stands for. One that the
 * file itself holds is text like any other.
 */
export function holdsMask({ mask }: Files, text: string, before: string): string | null {
  const held = mask?.heldBy(text) ?? null;
  if (held === null || before.includes(held)) return null;
  return `${held} stands for a secret that is not shown, and writing it would lose the secret. Nothing was written. Change the lines around it with Edit, and leave that line out of old and new.`;
}

/** Why the file may not be changed yet, or null: the model must know the bytes it changes (read before edit). */
export function notSeen(
  file: { readonly path: string; readonly hash: Hash },
  path: string,
  context: ToolContext,
): string | null {
  const seen = context.seen(file.path);
  if (seen === null)
    return `${path} has not been read in this session; Read it first, so that nothing unseen is changed.`;
  if (seen !== file.hash) return `${path} has changed since it was last read; Read it again, then repeat the change.`;
  return null;
}
