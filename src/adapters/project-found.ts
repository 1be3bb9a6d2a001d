import { bounds } from "../kernel/bounds.ts";
import { brand } from "../kernel/ids.ts";
import { type Candidate, type Chosen, chosenOf } from "../memory/project-choice.ts";
import type { Corpus } from "../memory/retrieval.ts";
import type { Vectors } from "../memory/retrieval-fused.ts";
import { termsOf } from "../memory/retrieval-terms.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Fragment, ProjectFound, ProjectQuery } from "../ports/project-index.ts";
import type { Document, Reading } from "./project-documents.ts";

/** `embedder`: null, and words alone decide. */
export type Finding = Reading & { readonly embedder: Embedder | null };

/** The best pieces of these documents, as fragments; by meaning too, where there is an embedder that answers. */
export async function foundIn(
  { sessions, embedder }: Finding,
  documents: readonly Document[],
  corpus: Corpus,
  { words, limit, signal }: ProjectQuery & { readonly signal: AbortSignal },
  rest: Pick<ProjectFound, "searched" | "left" | "notes">,
): Promise<ProjectFound> {
  const fragments = new Map<string, Omit<Fragment, "held" | "lacks">>();
  const candidates: Candidate[] = [];
  for (const document of documents)
    for (const piece of document.pieces) {
      const id = `${document.name}\n${piece.place}`;
      const title = `${document.title}\n${piece.title}`;
      candidates.push({
        id,
        doc: document.name,
        place: piece.place,
        title,
        text: piece.text,
        weight: weightOf(document),
      });
      fragments.set(id, fragmentOf(document, piece, sessions.own));
    }
  const vectors = embedder === null ? null : await vectorsOf(embedder, words, candidates, signal);
  const { chosen, near } = chosenOf(words, candidates, corpus, { limit, vectors });
  const shown = ({ id, held, lacks }: Chosen): readonly Fragment[] => {
    const fragment = fragments.get(id);
    return fragment === undefined ? [] : [{ ...fragment, held, lacks }];
  };
  return { fragments: chosen.flatMap(shown), near: near.flatMap(shown), ...rest };
}

/** Where there is no index that knows: of the documents that were read, `pieces` being all there are. */
export function corpusOf(documents: readonly Document[], pieces: number): Corpus {
  const counts = new Map<string, number>();
  let read = 0;
  for (const { title, pieces } of documents)
    for (const piece of pieces) {
      read += 1;
      for (const term of new Set(termsOf(`${title}\n${piece.title}\n${piece.text}`)))
        counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  return { chunks: Math.max(pieces, read), chunksWith: (term) => counts.get(term) ?? 0 };
}

/** null: there is no answer, and words alone decide. */
async function vectorsOf(
  embedder: Embedder,
  words: string,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<Vectors | null> {
  const some = candidates.slice(0, bounds.projectEmbeddedMax);
  const texts = some.map(({ title, text }) => `${title}\n${text}`);
  const vectors = await embedder.embed([words, ...texts], signal);
  const [query, ...others] = vectors ?? [];
  if (query === undefined || others.length !== some.length) return null;
  return { query, chunks: new Map(some.map(({ id }, at) => [id, others[at] ?? []])) };
}

/** What a session read of files stands in the files, and better there; what was said stands nowhere else. */
function weightOf({ detail }: Document): number {
  if (detail === null || detail.tool === "user" || detail.tool === "assistant") return 1;
  return copied.has(detail.tool) ? 0.5 : 0.8;
}

const copied: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);

function fragmentOf(
  { name, kind, chars, detail, title }: Document,
  piece: Document["pieces"][number],
  own: Reading["sessions"]["own"],
): Omit<Fragment, "held" | "lacks"> {
  const { startLine, endLine, text } = piece;
  const lines = { source: kind, startLine, endLine, text, wholeTokens: Math.ceil(chars / charsPerToken) };
  if (detail === null) return { ...lines, place: { type: "file", path: name }, title: piece.title };
  const { session, seq, tool } = detail;
  const place = { type: "session", session, isOwn: session === own, seq, handle: brand<"Handle">(name), tool } as const;
  return { ...lines, place, title: title.slice(tool.length).trim() };
}

const charsPerToken = 4;
