import { bounds } from "../kernel/bounds.ts";
import { imageSize, imageTypeOf } from "../kernel/image.ts";
import { bytesOf, decoded, sizeText } from "./result-blob.ts";

export type Image = { readonly mediaType: string; readonly data: string };

/**
 * Adds an image to those of the result, and says which one stands here. One that a provider would refuse, and with it every
 * later request, is a line that says why it is not shown. Its own bytes say what it is: servers are mistaken about it.
 */
export function shownImage(given: string, declared: string, images: Image[]): string {
  const data = given.replace(/^data:[^,]{0,200},/, "").replaceAll(/\s+/g, "");
  const bytes = bytesOf(data);
  const named = `${declared.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 100)}, ${sizeText(bytes)}`;
  const left = (why: string) => `[image, ${named}: not shown, ${why}]`;
  if (bytes > bounds.imageBytesMax) return left(`at most ${bounds.imageBytesMax} bytes can be`);
  const shownBytes = images.reduce((sum, image) => sum + bytesOf(image.data), bytes);
  if (images.length >= bounds.resultImagesMax || shownBytes > bounds.resultImagesBytesMax)
    return left("this result has too many images");
  const head = base64.test(data) && data.length % 4 === 0 ? decoded(data) : null;
  const mediaType = head === null ? null : imageTypeOf(String.fromCharCode(...head.subarray(0, signatureBytes)));
  const size = head === null || mediaType === null ? null : imageSize(head, mediaType);
  if (mediaType === null || size === null) return left("no PNG, JPEG, GIF or WebP that is whole");
  if (Math.max(size.width, size.height) > bounds.imagePixelsMax)
    return left(`${size.width} x ${size.height} pixels; at most ${bounds.imagePixelsMax} a side can be`);
  images.push({ mediaType, data });
  return `[image ${images.length}: ${mediaType}, ${size.width} x ${size.height}, ${sizeText(bytes)}]`;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const signatureBytes = 16;
