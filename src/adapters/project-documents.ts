import { bounds } from "../kernel/bounds.ts";
import { plainText } from "../kernel/plain-text.ts";
import { type Piece, piecesOf } from "../memory/pieces.ts";
import type { Source } from "../memory/project-file.ts";
import { wordsOf } from "../memory/retrieval-terms.ts";
import type { Mask } from "../secrets/mask.ts";
import { absolutePath } from "../workspace/path.ts";
import type { ProjectDatabase, Stored } from "./project-database.ts";
import type { Listed, ProjectFiles } from "./project-files.ts";
import { charsIn, type Detail, detailOf, type ProjectSessions, sessionsRoot } from "./project-sessions.ts";
import { termsAsked } from "./project-terms.ts";

/** A document as it is now, with the pieces that may hold something of a query. */
export type Document = {
  readonly name: string;
  readonly kind: Source;
  readonly title: string;
  /** Of an original. */
  readonly detail: Detail | null;
  readonly chars: number;
  readonly pieces: readonly (Piece & { readonly place: number })[];
};

export type Reading = { readonly files: ProjectFiles; readonly sessions: ProjectSessions; readonly mask: Mask };

export type Wanted = { readonly words: string; readonly within: readonly Source[] };

/** The documents that the index names as the likeliest, read anew: what it knows of them may be out of date, what they say is not. */
export async function documentsNamed(
  reading: Reading,
  database: ProjectDatabase,
  wanted: Wanted,
): Promise<readonly Document[]> {
  const terms = termsAsked(wanted.words, database);
  const each = Math.ceil(bounds.projectDocumentsMax / wanted.within.length);
  const turnStart = await reading.sessions.turnStart();
  const documents: Document[] = [];
  for (const kind of wanted.within) {
    const roots = kind === "sessions" ? [sessionsRoot] : reading.files.roots;
    const named = roots.flatMap((root) => database.holding({ kind, root, ...terms }));
    for (const stored of named.slice(0, each)) {
      const document = await read(reading, stored, turnStart, wanted.words);
      if (document !== null) documents.push(document);
    }
  }
  return documents;
}

/** Everything that is listed, read until it is too much: where there is no index. */
export async function documentsRead(
  reading: Reading,
  listed: ReadonlyMap<string, Listed>,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{ readonly documents: readonly Document[]; readonly isAll: boolean; readonly pieces: number }> {
  const documents: Document[] = [];
  let [chars, pieces] = [0, 0];
  const turnStart = await reading.sessions.turnStart();
  for await (const stored of allOf(reading, listed, wanted)) {
    if (signal.aborted || chars > bounds.projectScanCharsMax) return { documents, isAll: false, pieces };
    const document = await read(reading, stored, turnStart, wanted.words);
    chars += document?.chars ?? 0;
    pieces += Math.ceil((document?.chars ?? 0) / usualPieceChars);
    if (document !== null && document.pieces.length > 0) documents.push(document);
  }
  return { documents, isAll: true, pieces };
}

const usualPieceChars = 1_000;

async function* allOf(
  reading: Reading,
  listed: ReadonlyMap<string, Listed>,
  { within }: Wanted,
): AsyncIterable<Stored> {
  const fixed = { stamp: "", hash: "", detail: "" };
  for (const [root, { files }] of listed)
    for (const { path, below, kind } of files)
      if (within.includes(kind)) yield { name: path, kind, root, title: below, ...fixed };
  if (!within.includes("sessions")) return;
  for (const { session } of await reading.sessions.list()) yield* await reading.sessions.originals(session);
}

/** null: it is gone, hidden, or of the turn at hand, which stands in the window anyway. */
async function read(reading: Reading, stored: Stored, turnStart: number, words: string): Promise<Document | null> {
  const { files, sessions, mask } = reading;
  const { name, kind, title } = stored;
  if (kind !== "sessions") {
    const found = files.isThere(name) ? await files.read(name) : null;
    if (found === null) return null;
    const pieces = holdingAny(piecesOf(kind, found.text), words);
    return { name, kind, title, detail: null, chars: found.text.length, pieces };
  }
  const detail = detailOf(stored.detail);
  if (detail === null || isOfTurn(detail, sessions, turnStart) || isHidden(detail, files)) return null;
  const pieces = holdingAny(await originalPieces(sessions, mask, detail), words);
  return { name, kind, title, detail, chars: charsIn(detail), pieces };
}

/** The pieces of an original; none where its text is gone. */
export async function originalPieces(sessions: ProjectSessions, mask: Mask, detail: Detail): Promise<readonly Piece[]> {
  const text = await sessions.read(detail);
  if (text === null) return [];
  return piecesOf(detail.tool === "user" || detail.tool === "assistant" ? "docs" : "text", mask.text(text));
}

function isOfTurn({ session, isMain, seq }: Detail, { own }: ProjectSessions, turnStart: number): boolean {
  return session === own && isMain && turnStart > 0 && seq >= turnStart;
}

/** What was read before the user hid it is hidden too. */
function isHidden({ tool, title }: Detail, files: ProjectFiles): boolean {
  if (!fileTools.has(tool.replace(/^input /, ""))) return false;
  const path = title.replace(/^input /, "").replace(/ from line \d+$/, "");
  return files.roots.some((root) => !files.isShown(absolutePath(root, path)));
}

const fileTools: ReadonlySet<string> = new Set(["Read", "Edit", "MultiEdit", "Write", "Grep"]);

/** A small document stays whole: what stands beside a piece says what it is about. Of a large one, the pieces with any of the words. */
function holdingAny(pieces: readonly Piece[], words: string): Document["pieces"] {
  const placed = pieces.map((piece, place) => ({ ...piece, place }));
  if (placed.length <= smallPieces) return placed;
  const asked = wordsOf(words).flatMap(({ written, parts }) => [
    plainText(written),
    ...parts.map((part) => part.slice(0, 4)),
  ]);
  const counted = placed.map((piece) => {
    const plain = plainText(`${piece.title}\n${piece.text}`);
    return { piece, count: asked.filter((word) => plain.includes(word)).length };
  });
  const best = counted.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  return best.slice(0, largePieces).map(({ piece }) => piece);
}

const smallPieces = 12;
const largePieces = 20;
