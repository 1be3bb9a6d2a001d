import { isRecord } from "../kernel/canonical.ts";

/** What a message or a result says: its texts, one per line, and how many images stand among them. */
export type Content = { readonly text: string; readonly images: number };

/** Content as every format writes it: a text, a part with one, or a list of such. What has no text adds none. */
export function contentOf(value: unknown): Content {
  const texts: string[] = [];
  const images = gather(value, texts);
  return { text: texts.join("\n"), images };
}

function gather(value: unknown, texts: string[]): number {
  if (typeof value === "string") texts.push(value);
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + gather(part, texts), 0);
  if (!isRecord(value)) return 0;
  if (isImage(value)) return 1;
  const inner = [value.text, value.content, value.output].find((part) => part !== undefined && part !== null);
  return inner === undefined ? 0 : gather(inner, texts);
}

function isImage(part: Record<string, unknown>): boolean {
  return typeof part.type === "string" && /^(?:input_|output_)?image(?:_url)?$/.test(part.type);
}
