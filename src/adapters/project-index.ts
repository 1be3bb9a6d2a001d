import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { brand } from "../kernel/ids.ts";
import type { ProjectFound, ProjectIndex, ProjectQuery } from "../ports/project-index.ts";
import type { Clock } from "../ports/world.ts";
import { withIndex } from "./index-database.ts";
import { projectDatabase, projectTables } from "./project-database.ts";
import { documentsNamed, documentsRead } from "./project-documents.ts";
import type { Listed } from "./project-files.ts";
import { corpusOf, type Finding, foundIn } from "./project-found.ts";
import { type Behind, lookAt } from "./project-look.ts";
import { detailOf } from "./project-sessions.ts";
import { makeFolder } from "./store-folder.ts";

/**
 * Looks at what changed, asks the index for the likeliest documents, reads those, and compares their pieces with the query.
 * The file is a shortcut and never the truth: deleted, damaged or locked by another process, everything is read instead.
 */
export function projectIndex(given: Finding & { readonly clock: Clock; readonly path: string | null }): ProjectIndex {
  let [turn, isChecked]: [Promise<unknown>, boolean] = [Promise.resolve(), false];
  const search = async (query: ProjectQuery, signal: AbortSignal): Promise<ProjectFound> => {
    const listed = await listings(given, query, signal);
    const found =
      given.path === null ? null : await searchIndex({ ...given, path: given.path }, listed, query, signal, !isChecked);
    isChecked = true;
    return found ?? (await searchAll(given, listed, query, signal));
  };
  return {
    original: async (handle) => (given.path === null ? null : await originalIn({ ...given, path: given.path }, handle)),
    // One look at a time: the second finds it done.
    search: (query, signal) => {
      const next = turn.then(() => search(query, signal));
      turn = next.catch(() => undefined);
      return next;
    },
  };
}

async function originalIn(
  { sessions, path }: Finding & { readonly path: string },
  handle: string,
): ReturnType<ProjectIndex["original"]> {
  if (!(await isThere(path))) return null;
  const json = await withIndex(path, { ...projectTables(), check: "version" }, async (file) =>
    projectDatabase(file).detail(handle),
  );
  const detail = json === null ? null : detailOf(json);
  const text = detail === null ? null : await sessions.read(detail, "whole");
  if (detail === null || text === null) return null;
  return { type: "found", handle: brand<"Handle">(handle), tool: detail.tool, title: detail.title, text };
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

type Listings = ReadonlyMap<string, Listed>;

async function listings({ files }: Finding, { within }: ProjectQuery, signal: AbortSignal): Promise<Listings> {
  const listed = new Map<string, Listed>();
  if (within.every((source) => source === "sessions")) return listed;
  for (const root of files.roots) listed.set(root, await files.list(root, signal));
  return listed;
}

/** null: there is no index to be had. */
async function searchIndex(
  given: Finding & { readonly clock: Clock; readonly path: string },
  listed: Listings,
  query: ProjectQuery,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<ProjectFound | null> {
  await makeFolder(dirname(given.path)).catch(() => undefined);
  return await withIndex(given.path, { ...projectTables(), check: isFirst ? "whole" : "version" }, async (file) => {
    const database = projectDatabase(file);
    const behind = await lookAt({ ...given, database, signal }, listed, query.within.includes("sessions"));
    const documents = await documentsNamed(given, database, query);
    const pieces = database.pieces();
    const corpus = { chunks: pieces, chunksWith: database.piecesWith };
    const { files, sessions } = {
      files: filesIn(listed),
      sessions: query.within.includes("sessions") ? database.looked().size : 0,
    };
    const searched = { files: files - behind.files, pieces, sessions };
    return await foundIn(
      given,
      documents,
      corpus,
      { ...query, signal },
      {
        searched,
        left: behind.files + behind.sessions,
        notes: [...behindNotes(behind), ...notesOf(listed, signal)],
      },
    );
  });
}

async function searchAll(
  given: Finding,
  listed: Listings,
  query: ProjectQuery,
  signal: AbortSignal,
): Promise<ProjectFound> {
  const { documents, isAll, pieces } = await documentsRead(given, listed, query, signal);
  const searched = {
    files: filesIn(listed),
    pieces,
    sessions: query.within.includes("sessions") ? (await given.sessions.list()).length : 0,
  };
  const notes = isAll ? [] : ["without an index not everything could be read: narrow with in"];
  return await foundIn(
    given,
    documents,
    corpusOf(documents, pieces),
    { ...query, signal },
    {
      searched,
      left: 0,
      notes: ["there is no index to be had now: the files themselves were read", ...notes, ...notesOf(listed, signal)],
    },
  );
}

function filesIn(listed: Listings): number {
  return [...listed.values()].reduce((sum, { files }) => sum + files.length, 0);
}

function behindNotes({ files, sessions, why }: Behind): readonly string[] {
  if (files === 0 && sessions === 0) return [];
  const what = [count(files, "file"), count(sessions, "session")].filter((text) => text !== null).join(" and ");
  return [
    why === "busy"
      ? `another process is writing the index, or there is no more room in it: ${what} may be missing`
      : `not indexed yet: ${what}; each search indexes for up to ${bounds.projectLookMsMax / 1_000} s, so search again`,
  ];
}

function count(n: number, what: string): string | null {
  return n === 0 ? null : `${n} ${what}${n === 1 ? "" : "s"}`;
}

function notesOf(listed: Listings, signal: AbortSignal): readonly string[] {
  const partial = [...listed.values()].flatMap(({ partial }) =>
    partial === null ? [] : [`files not all listed: ${partial}`],
  );
  const left = new Map<string, number>();
  for (const { leftOut } of listed.values())
    for (const [why, n] of Object.entries(leftOut)) if (n > 0) left.set(why, (left.get(why) ?? 0) + n);
  const leftOut = [...left].map(([why, n]) => `${n} ${why}`).join(", ");
  return [
    ...(signal.aborted ? ["interrupted"] : []),
    ...partial,
    ...(leftOut === "" ? [] : [`files left out: ${leftOut}`]),
  ];
}
