import { inert } from "../prompt/context.ts";

/**
 * A server's words as they may stand in a prompt: well-formed, without characters nobody sees (controls, marks of direction,
 * the invisible letters of U+E0000), and with nothing in them that could pass for a tag of ours or of a provider.
 */
export function serverWords(text: string): string {
  const seen = text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(/(?!\u200c|\u200d|\t|\n)[\p{Cc}\p{Cf}]/gu, "");
  return inert(seen).replaceAll(tagLike, "&lt;").trim();
}

const tagLike =
  /<(?=(?:\s|\u200c|\u200d)*\/?(?:\s|\u200c|\u200d)*(?:\||antml|system|tool[_-]|function|invoke|parameter|assistant|user|human|result|attachment))/gi;

/** On one line, as it is quoted in a note for people. */
export function quotedName(name: string): string {
  const words = serverWords(name).replaceAll(/\s+/g, " ");
  return `"${words.length > nameCharsMax ? `${words.slice(0, nameCharsMax).toWellFormed()}…` : words}"`;
}

const nameCharsMax = 100;

/** At most so many characters, up to the end of a sentence or line where one is near, and what is missing is said. */
export function cutWords(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const kept = cutAtSentence(text, charsMax - noteCharsMax);
  return `${kept} [cut: ${kept.length} of ${text.length} characters]`;
}

const noteCharsMax = 48;

/** The start of a text up to the last end of a sentence or line in its second half; failing that, of a word; failing that, as it is. */
export function cutAtSentence(text: string, charsMax: number): string {
  const start = text.slice(0, charsMax);
  const ends = [...start.matchAll(/[.!?:;](?=\s)|[。！？]|(?=\n)/g)].map(({ index, 0: end }) => index + end.length);
  const sentence = ends.findLast((end) => end >= charsMax / 2);
  const word = start.search(/\s\S*$/);
  const at = sentence ?? (word >= charsMax / 2 ? word : start.length);
  return start.slice(0, at).toWellFormed().trimEnd();
}
