import { bounds } from "../kernel/bounds.ts";
import { parseJson } from "../kernel/json.ts";
import { foreignBytes, foreignText, foreignValue } from "./foreign.ts";
import { documentFormats, lineFormats } from "./formats.ts";
import { joined, lineSplitter, type RawLine } from "./lines.ts";
import { fileNumbers } from "./numbers.ts";
import { contentOfLine, type Raw } from "./record.ts";
import type { BlobText, Format, Item, LineReader } from "./transcript.ts";

export type Transcript =
  | { readonly type: "transcript"; readonly format: Format; readonly items: AsyncIterable<Item> }
  /** Of no format we know, or no session at all: what was expected, and what was found. */
  | { readonly type: "foreign"; readonly why: string };

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Reads a session file of any known format from its bytes, which come in pieces of any size. The format is told by the
 * first records, never by a name. Whatever the bytes are, nothing is thrown: a bad line is an `unreadable` item, a file of
 * no known format a value. Only what `chunks` throws goes through. Of a file of lines nothing is kept but the line at hand.
 * `blobText` gives the long texts of our own logs, which stand beside them; without it their place and length are said.
 *
 * Items are numbered from 0 as they come out here, the `unreadable` ones too; `restarted.keeps` speaks of these numbers,
 * and of the items of its own lane among them.
 */
export async function readTranscript(chunks: Chunks, blobText: BlobText = () => null): Promise<Transcript> {
  const source = sourceOf(chunks);
  const start = await sniff(source);
  const document = documentIn(start);
  const format = document === null ? lineFormats.find((one) => one.recognises(start.records)) : undefined;
  if (format !== undefined)
    return { type: "transcript", format: format.format, items: lineItems(format.open(blobText), start, source) };
  try {
    return document ?? (await readDocument(start, source));
  } finally {
    await source.close();
  }
}

type Source = {
  /** null: the file ends here. */
  readonly next: () => Promise<Uint8Array | null>;
  readonly close: () => Promise<void>;
};

function sourceOf(chunks: Chunks): Source {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return {
    next: async () => {
      const step = await iterator.next();
      return step.done === true ? null : step.value;
    },
    close: async () => {
      await iterator.return?.();
    },
  };
}

/** The start of a file, both as bytes and as lines: which of the two it is made of is not known yet. */
type Start = {
  readonly held: readonly Uint8Array[];
  readonly bytes: number;
  readonly lines: readonly RawLine[];
  readonly records: readonly Raw[];
  readonly splitter: ReturnType<typeof lineSplitter>;
  readonly isWhole: boolean;
};

async function sniff(source: Source): Promise<Start> {
  const splitter = lineSplitter();
  const held: Uint8Array[] = [];
  const lines: RawLine[] = [];
  const records: Raw[] = [];
  let bytes = 0;
  let isWhole = false;
  const note = (more: readonly RawLine[]): void => {
    for (const line of more) {
      lines.push(line);
      const content = isEnough(lines, records) ? null : contentOfLine(line);
      if (content?.type === "record") records.push(content.record);
    }
  };
  while (!isWhole && bytes <= bounds.transcriptDocumentBytesMax && !isEnough(lines, records)) {
    const chunk = await source.next();
    isWhole = chunk === null;
    if (chunk === null) note(splitter.end());
    else {
      held.push(chunk.slice());
      bytes += chunk.length;
      note(splitter.push(chunk));
    }
  }
  return { held, bytes, lines, records, splitter, isWhole };
}

function isEnough(lines: readonly RawLine[], records: readonly Raw[]): boolean {
  const isHopeless = records.length === 0 && lines.length > bounds.transcriptLinesSniffed;
  return isHopeless || records.length >= bounds.transcriptRecordsSniffed;
}

async function* lineItems(reader: LineReader, start: Start, source: Source): AsyncGenerator<Item> {
  const numbers = fileNumbers();
  function* itemsOf(lines: readonly RawLine[]): Generator<Item> {
    for (const line of lines) {
      const content = contentOfLine(line);
      if (content.type === "blank") continue;
      const why = content.type === "bad" ? content.why : content.lost;
      if (why !== null) yield numbers.ours({ type: "unreadable", why, line: line.line, at: null, lane: "main" });
      if (content.type === "record") yield* numbers.readers(reader.line(content.record, line.line, content.raw));
    }
  }
  try {
    yield* itemsOf(start.lines);
    for (let chunk = start.isWhole ? null : await source.next(); chunk !== null; chunk = await source.next())
      yield* itemsOf(start.splitter.push(chunk));
    if (!start.isWhole) yield* itemsOf(start.splitter.end());
    yield* numbers.readers(reader.end());
  } finally {
    await source.close();
  }
}

async function readDocument(start: Start, source: Source): Promise<Transcript> {
  const held = [...start.held];
  let bytes = start.bytes;
  const alien = foreignBytes(joined(held, bytes), start.records);
  if (alien !== null) return { type: "foreign", why: alien };
  for (let isWhole = start.isWhole; !isWhole && bytes <= bounds.transcriptDocumentBytesMax; ) {
    const chunk = await source.next();
    isWhole = chunk === null;
    if (chunk === null) continue;
    held.push(chunk.slice());
    bytes += chunk.length;
  }
  if (bytes > bounds.transcriptDocumentBytesMax)
    return { type: "foreign", why: `one JSON value of more than ${bounds.transcriptDocumentBytesMax} bytes` };
  return documentOf(joined(held, bytes));
}

/**
 * A document with a value on each of its lines looks like lines, the last without a comma a record: what begins with
 * no record is tried as a document first. null: it is none.
 */
function documentIn({ isWhole, lines, records, held, bytes }: Start): Transcript | null {
  if (!isWhole || records.length === 0 || !beginsBadly(lines)) return null;
  const found = documentOf(joined(held, bytes));
  return found.type === "transcript" ? found : null;
}

function beginsBadly(lines: readonly RawLine[]): boolean {
  for (const line of lines) {
    const { type } = contentOfLine(line);
    if (type !== "blank") return type === "bad";
  }
  return false;
}

function documentOf(bytes: Uint8Array): Transcript {
  const text = new TextDecoder("utf-8").decode(bytes);
  const parsed = parseJson(text);
  if (parsed.type === "bad") return { type: "foreign", why: foreignText(text, parsed.why) };
  const { value } = parsed;
  const format = documentFormats.find((one) => one.recognises(value));
  if (format === undefined) return { type: "foreign", why: foreignValue(value) };
  return { type: "transcript", format: format.format, items: listed(format.read(value)) };
}

async function* listed(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
