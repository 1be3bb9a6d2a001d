/** How a text file's bytes are to be read, so that writing the text back gives the same bytes. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin-1";

/** `text` is without the byte-order mark; `bom` remembers it. */
export type TextFile = {
  readonly type: "text";
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
};
export type Decoded = TextFile | { readonly type: "binary"; readonly why: string };

/**
 * By content: a byte-order mark decides; else UTF-8 where all of it is valid; else Latin-1 (every byte is a character, so
 * nothing is lost), unless it looks binary.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf-16be");
  if (bytes.includes(0)) return { type: "binary", why: "it holds NUL bytes" };
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = strictly("utf-8", bom ? bytes.subarray(3) : bytes);
  if (text !== null) return { type: "text", text, encoding: "utf-8", bom };
  if (controlShare(bytes) > 0.05) return { type: "binary", why: "it holds many control characters" };
  return { type: "text", text: latin1Text(bytes), encoding: "latin-1", bom: false };
}

/** null where the encoding has no such character. */
export function encodeText(file: TextFile): Uint8Array | null {
  const text = file.bom && file.encoding !== "latin-1" ? `\uFEFF${file.text}` : file.text;
  switch (file.encoding) {
    case "utf-8":
      return new TextEncoder().encode(text);
    case "latin-1":
      return latin1Bytes(text);
    default:
      return utf16Bytes(text, file.encoding === "utf-16le");
  }
}

/** Each byte as the character of that number. `TextDecoder` cannot do this: its `latin1` is Windows-1252. */
export function latin1Text(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += partLength) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + partLength)));
  }
  return parts.join("");
}

const partLength = 8_192;

function latin1Bytes(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0xff) return null;
    bytes[at] = unit;
  }
  return bytes;
}

function decodeUtf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): Decoded {
  const text = bytes.length % 2 === 0 ? strictly(encoding, bytes.subarray(2)) : null;
  if (text === null || text.includes("\0")) return { type: "binary", why: "it begins like UTF-16 but is not" };
  return { type: "text", text, encoding, bom: true };
}

function utf16Bytes(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  return new Uint8Array(view.buffer);
}

function strictly(encoding: "utf-8" | "utf-16le" | "utf-16be", bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not valid in this encoding: that is the answer.
    return null;
  }
}

/** Of the first 8 KB; tab, line ends, form feed, backspace and escape occur in texts. */
function controlShare(bytes: Uint8Array): number {
  const start = bytes.subarray(0, 8_192);
  let controls = 0;
  for (const byte of start) if (byte < 0x20 && !usual.has(byte)) controls++;
  return start.length === 0 ? 0 : controls / start.length;
}

const usual: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
