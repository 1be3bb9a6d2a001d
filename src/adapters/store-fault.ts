/** A failed file operation in words for people, with the code for those who search for it. */
export function faultText(error: unknown, path: string): string {
  const code = codeOf(error);
  const words = code === null ? undefined : reasons[code];
  if (words !== undefined) return `${words} (${code}): ${path}`;
  return `${path}: ${error instanceof Error ? error.message : String(error)}`;
}

export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** Also below what is a file and not a folder, there is nothing. */
export function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Something stands there, and it gives no content: for whoever asks for content that is as if it were gone. */
export function isUnreadable(error: unknown): boolean {
  const code = codeOf(error);
  return isAbsent(error) || (code !== null && unreadable.has(code));
}

const unreadable: ReadonlySet<string> = new Set(["EISDIR", "ELOOP", "EACCES", "EPERM", "EIO", "ENXIO", "ENAMETOOLONG"]);

/** For `catch`: an absent file is an answer, anything else is a fault. */
export function nullIfAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file has reached the largest size allowed",
  EROFS: "the file system is read-only",
  EACCES: "no permission to write",
  EPERM: "no permission to write",
  ENOTDIR: "a file stands where a folder is needed",
  EIO: "the disk reported an error",
  EISDIR: "a folder stands where a file is needed",
  ELOOP: "a link leads in a circle",
  EMFILE: "too many open files",
};
