import type { HttpAnswer, ReadablePage } from "../ports/http.ts";

type Answered = Extract<HttpAnswer, { readonly type: "answered" }>;

export type WebText =
  | { readonly type: "text"; readonly title: string; readonly text: string; readonly mediaType: string }
  | { readonly type: "unreadable"; readonly what: string };

/** The text of an answer: HTML made readable, other text as it is; what is none is named, never guessed at. */
export async function webText({ headers, bytes }: Answered, readable: ReadablePage): Promise<WebText> {
  const [given = "", ...parameters] = (headers["content-type"] ?? "").split(";").map((part) => part.trim());
  const mediaType = given.toLowerCase();
  const named = kindOf(mediaType);
  const kind = named === "unsaid" ? sniffed(bytes) : named;
  if (kind === "binary") return { type: "unreadable", what: mediaType === "" ? "binary data" : mediaType };
  const charset = parameters.map((part) => /^charset\s*=\s*"?([^"]+)"?$/i.exec(part)?.[1]).find(Boolean);
  const text = decoded(bytes, charset ?? (kind === "html" ? metaCharset(bytes) : undefined));
  if (kind === "plain") return { type: "text", title: "", text, mediaType: mediaType || "text" };
  return { type: "text", ...(await readable(text)), mediaType: mediaType || "text/html" };
}

type Kind = "html" | "plain" | "binary";

function kindOf(mediaType: string): Kind | "unsaid" {
  if (mediaType === "" || mediaType === "unknown/unknown" || mediaType === "application/unknown") return "unsaid";
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html";
  return mediaType.startsWith("text/") || /[/+](json|xml|yaml|toml)$/.test(mediaType) || texts.has(mediaType)
    ? "plain"
    : "binary";
}

const texts: ReadonlySet<string> = new Set(
  [
    "javascript",
    "ecmascript",
    "x-javascript",
    "typescript",
    "x-yaml",
    "x-ndjson",
    "jsonl",
    "sql",
    "graphql",
    "x-sh",
  ].map((name) => `application/${name}`),
);

function sniffed(bytes: Uint8Array): Kind {
  const start = bytes.subarray(0, sniffBytes);
  if (start.includes(0)) return "binary";
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(latin(start)) ? "html" : "plain";
}

const sniffBytes = 1_024;

function metaCharset(bytes: Uint8Array): string | undefined {
  return /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(latin(bytes.subarray(0, 2 * sniffBytes)))?.[1];
}

function latin(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** A byte order mark says more than any header. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  const [a, b] = bytes;
  const marked = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : undefined;
  try {
    return new TextDecoder(marked ?? charset ?? "utf-8").decode(bytes);
  } catch {
    // A name nobody knows.
    return new TextDecoder().decode(bytes);
  }
}
