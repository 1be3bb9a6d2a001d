/** The system's name for an error, or "" for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** For people and models: without the stack, and without the path the caller names anyway. */
export function explain(error: unknown): string {
  const code = codeOf(error);
  return messages.get(code) ?? (error instanceof Error ? error.message : String(error));
}

const messages: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or folder"],
  ["EACCES", "permission denied"],
  ["EPERM", "operation not permitted"],
  ["ENOTDIR", "a part of the path is not a folder"],
  ["EISDIR", "it is a folder"],
  ["ELOOP", "its links lead in a circle, or it has just become a link"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
  ["EROFS", "the disk is read-only"],
  ["EMFILE", "too many files are open"],
  ["ETXTBSY", "it is a program that is running"],
  ["ENXIO", "it is a socket or a device without a reader"],
]);
