import { addCounts, type Counts, classify, noCounts } from "./count.ts";

/** What is needed of a segment to count it; any `Segment` with its byte length fits. */
export type Part = {
  readonly kind:
    | "tool"
    | "system"
    | "text"
    | "tool-call"
    | "tool-result"
    | "reasoning"
    | "image"
    | "document"
    | "other";
  readonly text: string | null;
  /** Bytes it takes in the request body. */
  readonly bytes: number;
};

/** Tokens of one segment by class, with what its wrapping costs. Never zero: tools and opaque blocks count (C-075). */
export function measure(part: Part): Counts {
  const marks: Counts = { ...noCounts, marks: markTokens[part.kind] };
  if (part.kind === "image") return { ...noCounts, fixed: imageTokens };
  if (part.kind === "reasoning" && part.text === null)
    return { ...noCounts, fixed: Math.ceil(part.bytes / reasoningBytesPerToken) };
  if (part.kind === "tool-call" && part.text !== null) return addCounts(marks, classify(unescaped(part.text)));
  const text = part.text === null ? noCounts : classify(part.text);
  return addCounts(addCounts(marks, text), { ...noCounts, json: unseenTokens(part) });
}

/**
 * Role and block marks around a block, before a model's own are learned. By `bench estimate --data DIR` a result has 10 to
 * 30 of them, depending on the service, a call up to 46.
 */
const markTokens: Readonly<Record<Part["kind"], number>> = {
  tool: 4,
  system: 4,
  text: 4,
  "tool-call": 46,
  "tool-result": 12,
  reasoning: 4,
  image: 0,
  document: 4,
  other: 4,
};
/** The largest an image is scaled down to: width x height / 750 at 1.15 megapixels. */
const imageTokens = 1_600;
/** Signatures come with the text and are longer than it; a reported count replaces this wherever there is one. */
const reasoningBytesPerToken = 6;
const jsonBytesPerToken = 4;

/** The model wrote the words of its call, not their JSON: there a line's end is no backslash and a letter. */
export function unescaped(json: string): string {
  return json.includes("\\") ? json.replace(/\\(["\\/nrt])/g, (_, sign: string) => escapes[sign] ?? sign) : json;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** A schema or an unknown block of which `text` shows nothing or only a part. */
function unseenTokens(part: Part): number {
  const shown = part.text === null ? 0 : part.text.length;
  const structured = part.kind === "tool" || part.text === null;
  return structured ? Math.max(0, Math.ceil((part.bytes - shown) / jsonBytesPerToken)) : 0;
}
