import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

/**
 * What one run of `varve init` changed, kept beside the copies of what was there. Written before the first change, so that
 * whatever ends the run, it can be taken back.
 */
export type InitRecord = {
  readonly version: 1;
  /** The project's folder, free of links. */
  readonly folder: string;
  readonly at: string;
  readonly files: readonly RecordedFile[];
};

export type RecordedFile = {
  readonly path: string;
  /** Name of the copy beside the record; null: the file was not there. */
  readonly copy: string | null;
  /** Hash of the bytes that were written, and of those that were there. */
  readonly after: string;
  readonly before: string | null;
  /** Folders that had to be made for it, the innermost first. */
  readonly folders: readonly string[];
};

export function recordText(record: InitRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** null: it is none of ours, or it is damaged. */
export function parseRecord(text: string): InitRecord | null {
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const { version, folder, at, files } = parsed.value;
  if (version !== 1 || typeof folder !== "string" || typeof at !== "string" || !Array.isArray(files)) return null;
  const read = files.map(fileOf).filter((file) => file !== null);
  return read.length === files.length ? { version, folder, at, files: read } : null;
}

/** Paths in it are followed: one that leads out of the project is not one of ours. */
function fileOf(value: unknown): RecordedFile | null {
  if (!isRecord(value)) return null;
  const { path, copy, after, before, folders } = value;
  if (!isInner(path) || typeof after !== "string" || !Array.isArray(folders) || !folders.every(isInner)) return null;
  const isNew = copy === null && before === null;
  if (isNew) return { path, copy, after, before, folders };
  if (typeof copy !== "string" || !/^\d+$/.test(copy) || typeof before !== "string") return null;
  return { path, copy, after, before, folders };
}

function isInner(path: unknown): path is string {
  return typeof path === "string" && path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
}
