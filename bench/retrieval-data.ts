import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import type { Chunk } from "../src/memory/retrieval.ts";

/** `gold`: the chunks that answer it. */
export type Query = { readonly query: string; readonly gold: readonly string[] };

export type RetrievalSet = {
  readonly name: string;
  readonly chunks: readonly Chunk[];
  readonly queries: readonly Query[];
  /** Lines that are no row, and queries whose answer is not among the chunks. */
  readonly skipped: readonly string[];
};

/** Every folder with `chunks.jsonl` and `queries.jsonl`: `DIR/retrieval/*`, `DIR/*` or `DIR` itself. None is an error. */
export async function retrievalSetsIn(data: string): Promise<readonly RetrievalSet[]> {
  const roots = [join(data, "retrieval"), data].filter(existsSync);
  const below = await Promise.all(roots.map(async (root) => (await readdir(root)).map((name) => join(root, name))));
  const folders = [...new Set([data, ...below.flat()])].filter(
    (folder) => existsSync(join(folder, "chunks.jsonl")) && existsSync(join(folder, "queries.jsonl")),
  );
  if (folders.length === 0) throw new Error(`${data} holds no folder with chunks.jsonl and queries.jsonl`);
  return await Promise.all(folders.toSorted().map(setIn));
}

async function setIn(folder: string): Promise<RetrievalSet> {
  const read = async (file: string) => rowsIn(file, await readFile(join(folder, file), "utf8"));
  const [chunkRows, queryRows] = [await read("chunks.jsonl"), await read("queries.jsonl")];
  const chunks = chunkRows.rows.flatMap(({ row, line }) => chunkOf(row) ?? bad(line));
  const known = new Set(chunks.flatMap((one) => (typeof one === "string" ? [] : [one.id])));
  const queries = queryRows.rows.flatMap(({ row, line }) => queryOf(row, known) ?? bad(line));
  return {
    name: basename(folder),
    chunks: placed(chunks.filter((one) => typeof one !== "string")),
    queries: queries.filter((one) => typeof one !== "string"),
    skipped: [
      ...chunkRows.skipped,
      ...queryRows.skipped,
      ...[...chunks, ...queries].filter((one) => typeof one === "string"),
    ],
  };
}

function bad(line: string): string {
  return `${line} lacks what a row has`;
}

type Row = { readonly row: Readonly<Record<string, unknown>>; readonly line: string };

function rowsIn(file: string, text: string): { readonly rows: readonly Row[]; readonly skipped: readonly string[] } {
  const lines = text.split("\n").map((content, at) => ({ content, line: `${file}: line ${at + 1}` }));
  const read = lines
    .filter(({ content }) => content.trim() !== "")
    .map(({ content, line }) => {
      const parsed = parseJson(content);
      return parsed.type === "ok" && isRecord(parsed.value) ? { row: parsed.value, line } : `${line} is no object`;
    });
  return {
    rows: read.filter((one) => typeof one !== "string"),
    skipped: read.filter((one) => typeof one === "string"),
  };
}

function chunkOf({ id, doc, title, content }: Row["row"]): Omit<Chunk, "place"> | null {
  if (typeof id !== "string" || typeof content !== "string") return null;
  return {
    id,
    doc: typeof doc === "string" ? doc : id.replace(/:\d+$/, ""),
    title: typeof title === "string" ? title : "",
    text: content,
  };
}

function queryOf({ query, gold }: Row["row"], known: ReadonlySet<string>): Query | null {
  if (typeof query !== "string" || !Array.isArray(gold)) return null;
  const ids = gold.filter((id) => typeof id === "string" && known.has(id)).map(String);
  return ids.length === 0 ? null : { query, gold: ids };
}

/** In the order of the numbers that end their ids, where they have one, else as the file has them. */
function placed(chunks: readonly Omit<Chunk, "place">[]): readonly Chunk[] {
  const groups = Map.groupBy(chunks, ({ doc }) => doc);
  return [...groups.values()].flatMap((group) =>
    group.toSorted((a, b) => numberOf(a.id) - numberOf(b.id)).map((chunk, place) => ({ ...chunk, place })),
  );
}

function numberOf(id: string): number {
  return Number(/(\d+)$/.exec(id)?.[1] ?? 0);
}
