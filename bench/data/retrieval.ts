import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PieceKind, piecesOf } from "../../src/memory/pieces.ts";
import { questions, searchedFiles } from "./retrieval-questions.ts";

type Row = { readonly id: string; readonly doc: string; readonly title: string; readonly content: string };

/**
 * `bench make-data --retrieval`: files of this repository in pieces as the project's index cuts them, and our own questions
 * with the piece that answers each, in the format of `retrieval/cookbook-code`. A copy, so that figures stay comparable.
 */
export async function writeRetrieval(data: string): Promise<object> {
  const root = join(import.meta.dirname, "..", "..");
  const files = await Promise.all(
    searchedFiles.map(async (path) => rowsOf(path, await readFile(join(root, path), "utf8"))),
  );
  const chunks = files.flat();
  const queries = questions.map(({ query, path, anchor }) => {
    const gold = chunks.filter(({ doc, content }) => doc === path && content.includes(anchor)).map(({ id }) => id);
    if (gold.length !== 1) throw new Error(`"${anchor}" stands in ${gold.length} pieces of ${path}; expected 1`);
    return { query, gold };
  });
  await mkdir(join(data, "retrieval", "varve"), { recursive: true });
  await writeFile(join(data, "retrieval", "varve", "chunks.jsonl"), jsonLines(chunks));
  await writeFile(join(data, "retrieval", "varve", "queries.jsonl"), jsonLines(queries));
  return { chunks: chunks.length, queries: queries.length };
}

function rowsOf(path: string, text: string): readonly Row[] {
  const kind: PieceKind = path.endsWith(".md") ? "docs" : "code";
  return piecesOf(kind, text).map(({ title, text: content }, place) => ({
    id: `${path}:${place}`,
    doc: path,
    title: `${path}\n${title}`,
    content,
  }));
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
