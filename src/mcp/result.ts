import { charsOf, cutBefore, lineEnded } from "../digest/text.ts";
import { bounds } from "../kernel/bounds.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { ServerAnswer, ServerContent } from "../ports/servers.ts";
import { blobText, bytesOf, sizeText } from "./result-blob.ts";
import { type Image, shownImage } from "./result-image.ts";
import { isSaid } from "./result-structured.ts";

/** What a call of a server's tool gives back: the fields of a tool's outcome that a server has a say in. */
export type ServerResult = {
  readonly ending: "done" | "failed" | "timed-out" | "interrupted";
  readonly output: string;
  readonly images: readonly Image[];
};

/**
 * A server's answer as a result. Its texts come first and in order, as they are; what it structured stands behind them where
 * they do not say it already, and never in their place (CASES C-051). What cannot be text or an image is a line that says
 * what it was and how large.
 */
export function resultOf(
  answer: ServerAnswer,
  { server, tool }: { readonly server: string; readonly tool: string },
): ServerResult {
  if (answer.type !== "answer") return { ending: answer.type, output: answer.why, images: [] };
  const { isError, content, structured } = answer;
  const images: Image[] = [];
  const parts = content.slice(0, bounds.resultBlocksMax).map((block) => partOf(block, images));
  if (content.length > parts.length) parts.push(`[${content.length - parts.length} more blocks of content left out]`);
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (structured !== undefined) parts.push(structuredPart(structured, texts, parts));
  const said = joined(parts.filter((part) => part.trim() !== ""));
  const nothing = `[${tool} of ${server} ${isError ? "failed and said nothing of why" : "answered, and its answer is empty"}]`;
  return { ending: isError ? "failed" : "done", output: bounded(said === "" ? nothing : said), images };
}

type Parts = {
  readonly [T in ServerContent["type"]]: (block: Extract<ServerContent, { type: T }>, images: Image[]) => string;
};

const parts: Parts = {
  text: ({ text }) => text,
  image: ({ mediaType, data }, images) => shownImage(data, mediaType, images),
  audio: ({ mediaType, data }) => `[audio, ${oneLine(mediaType)}, ${sizeText(bytesOf(data))}: not shown]`,
  link: ({ uri, name, description, mimeType, size }) => {
    const facts = [oneLine(name), mimeType, size === null ? null : sizeText(size)].filter(
      (fact) => fact !== null && fact !== "",
    );
    const of = description === "" ? "" : `: ${oneLine(description)}`;
    return `[resource ${whole(uri)} (${facts.join(", ")})${of}]`;
  },
  embedded: ({ uri, mimeType, text }) =>
    `[resource ${whole(uri)}${mimeType === null ? "" : ` (${oneLine(mimeType)})`}]\n${text}`,
  blob: ({ uri, mimeType, data }, images) => {
    const text = blobText(data, mimeType);
    if (text !== null) return parts.embedded({ type: "embedded", uri, mimeType, text }, images);
    if (mimeType?.startsWith("image/") === true)
      return `[resource ${whole(uri)}]\n${shownImage(data, mimeType, images)}`;
    return `[resource ${whole(uri)} (${oneLine(mimeType ?? "binary")}, ${sizeText(bytesOf(data))}): not text, not shown]`;
  },
  other: ({ json }) => `[content of a type that is not known]\n${json}`,
};

function partOf<T extends ServerContent["type"]>(block: Extract<ServerContent, { type: T }>, images: Image[]): string {
  return parts[block.type](block, images);
}

function structuredPart(
  structured: NonNullable<unknown> | null,
  texts: readonly string[],
  before: readonly string[],
): string {
  if (isTooDeep(structured)) return `[structured content left out: ${tooDeep}]`;
  if (isSaid(structured, texts)) return "";
  const json = JSON.stringify(structured);
  return before.every((part) => part.trim() === "") ? json : `Structured content:\n${json}`;
}

/** Each part begins a line of its own, and none is changed. */
function joined(parts: readonly string[]): string {
  const last = parts.length - 1;
  return parts
    .map((part, at) => (at < last ? lineEnded(part) : part))
    .join("")
    .toWellFormed();
}

function bounded(text: string): string {
  if (text.length <= bounds.captureBytesMax) return text;
  const kept = text.slice(0, cutBefore(text, bounds.captureBytesMax));
  return `${kept}\n[… ${charsOf(text) - charsOf(kept)} characters were not kept: a call keeps the beginning of its answer …]`;
}

/** Names and descriptions are a server's: one line, and not a long one. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > wordsCharsMax ? `${line.slice(0, cutBefore(line, wordsCharsMax))}…` : line;
}

/** An address is of use only whole. */
function whole(uri: string): string {
  return uri.replaceAll(/[\s\p{Cc}]+/gu, " ");
}

const wordsCharsMax = 300;
