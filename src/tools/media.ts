import { type ImageType, imageTypeOf } from "../kernel/image.ts";
import { latin1Text } from "./encoding.ts";

/** What a file is by its first bytes, whatever its name (CASES C-067, C-069). */
export type Media =
  | { readonly type: "image"; readonly mediaType: ImageType }
  | { readonly type: "other-image"; readonly name: string }
  | { readonly type: "pdf" }
  | { readonly type: "html" }
  | { readonly type: "unknown" };

/** The name is asked only where text stands before the signature of a PDF: readers of PDF accept that. */
export function mediaOf(bytes: Uint8Array, path: string): Media {
  const start = latin1Text(bytes.subarray(0, 1_024));
  const mediaType = imageTypeOf(start);
  if (mediaType !== null) return { type: "image", mediaType };
  const other = otherImages.find(([pattern]) => pattern.test(start));
  if (other !== undefined) return { type: "other-image", name: other[1] };
  if (pdfStart.test(start) || (/\.pdf$/i.test(path) && start.includes("%PDF-"))) return { type: "pdf" };
  return htmlStart.test(start) ? { type: "html" } : { type: "unknown" };
}

/** Whether the file's name promises an image. SVG is not among them: it is text. */
export function isNamedImage(path: string): boolean {
  return /\.(?:a?png|jpe?g|gif|webp|bmp|tiff?|ico|cur|avif|hei[cf]|jxl|jp2|psd)$/i.test(path);
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: file signatures are made of them
const otherImages = [
  [/^BM[\s\S]{4}\0\0\0\0/, "BMP"],
  [/^(?:II[*+]\0|MM\0[*+])/, "TIFF"],
  [/^\0\0[\x01\x02]\0/, "ICO"],
  [/^[\s\S]{4}ftyp(?:avi[fs]|(?:mif1|msf1)[\s\S]{4}(?:[\s\S]{4}){0,4}avi[fs])/, "AVIF"],
  [/^[\s\S]{4}ftyp(?:hei|hev|mif1|msf1)/, "HEIC"],
  [/^(?:\xff\x0a|\0\0\0\x0cJXL )/, "JPEG XL"],
  [/^\0\0\0\x0cjP {2}\r\n/, "JPEG 2000"],
  [/^8BPS\0\x01/, "Photoshop"],
] as const;

/** At the very beginning, or behind junk that is not text: sources that speak of PDF are no PDF. */
const pdfStart = /^(?:\xef\xbb\xbf)?\s*%PDF-|^[\s\S]*?\0[\s\S]*?%PDF-/;

const htmlStart = /^(?:\xef\xbb\xbf)?\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b/i;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
