import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";

/**
 * What stands between two lines of `---` at the start of a Markdown file, and what follows them. `line`: of the file, from 1;
 * `bodyLine`: the first of the body. A byte order mark and CRLF change nothing.
 */
export type Frontmatter = Rest &
  (
    | { readonly type: "none" }
    | { readonly type: "ok"; readonly fields: Fields }
    /** `raw`: what stands there, for readers that are lenient. */
    | { readonly type: "bad"; readonly line: number; readonly why: string; readonly raw: string }
  );

type Rest = { readonly body: string; readonly bodyLine: number };
export type Fields = ReadonlyMap<string, Field>;
export type Field = { readonly value: unknown; readonly line: number };

/** Never fails: what cannot be read is `bad`, with the line, and the body is given all the same. */
export async function parseFrontmatter(text: string): Promise<Frontmatter> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== fence) return { type: "none", body: lines.join("\n"), bodyLine: 1 };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === fence);
  const raw = lines.slice(1, end === -1 ? undefined : end).join("\n");
  if (end === -1) return { type: "bad", line: 1, why: unclosed, raw, body: "", bodyLine: lines.length };
  const read = raw.length > bounds.fieldsCharsMax ? flooded(raw) : await fieldsOf(raw);
  return { ...read, body: lines.slice(end + 1).join("\n"), bodyLine: end + 2 };
}

const fence = "---";
const unclosed = "expected a second line of --- behind the fields";

type Read =
  | { readonly type: "ok"; readonly fields: Fields }
  | { readonly type: "bad"; readonly line: number; readonly why: string; readonly raw: string };

/** A stranger's file: what the grammar of YAML reads stays small, for its time grows with the square of it. */
function flooded(raw: string): Read {
  const why = `more than ${bounds.fieldsCharsMax} characters of fields, or no second line of ---`;
  return { type: "bad", line: 1, why, raw };
}

async function fieldsOf(raw: string): Promise<Read> {
  const { LineCounter, parseDocument, isAlias, isMap, isScalar, visit } = await import("yaml");
  const lines = new LineCounter();
  const lineAt = (offset = 0) => 1 + lines.linePos(offset).line;
  const bad = (line: number, why: string): Read => ({ type: "bad", line, why, raw });
  const doc = parseDocument(raw, { prettyErrors: false, logLevel: "silent", lineCounter: lines });
  const [fault] = doc.errors;
  if (fault !== undefined) return bad(lineAt(fault.pos[0]), fault.message);
  if (doc.contents === null) return { type: "ok", fields: new Map() };
  if (!isMap(doc.contents)) return bad(2, "expected lines of `key: value`");
  let stray: number | null = null;
  let aliases = 0;
  visit(doc, (_key, node) => {
    if (!isAlias(node)) return undefined;
    if (++aliases > aliasesMax) return visit.BREAK;
    if (node.resolve(doc) !== undefined) return undefined;
    stray = lineAt(node.range?.[0]);
    return visit.BREAK;
  });
  if (stray !== null) return bad(stray, "a value that begins with * needs quotes");
  if (aliases > aliasesMax) return bad(2, "its aliases lead to no end");
  const lineOf = new Map(
    doc.contents.items.map(({ key }) => (isScalar(key) ? [String(key.value), lineAt(key.range?.[0])] : ["", 2])),
  );
  const value = plain(() => doc.toJS({ maxAliasCount: aliasesMax }));
  if (!isRecord(value)) return bad(2, "its aliases lead to no end");
  const fields = Object.entries(value).map(([key, one]) => [key, { value: one, line: lineOf.get(key) ?? 2 }] as const);
  return { type: "ok", fields: new Map(fields) };
}

const aliasesMax = 100;

/** The library throws where aliases multiply. */
function plain(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}
