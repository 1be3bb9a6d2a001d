import { isRecord } from "../kernel/canonical.ts";
import { recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import type { Content } from "./content.ts";
import { spacedJson } from "./spaced-json.ts";

/** Text and number of images of what Gemini calls content: a text, a part, or a list of parts. */
export function geminiContent(content: unknown): Content {
  if (typeof content === "string") return { text: content, images: 0 };
  const parts: readonly unknown[] = Array.isArray(content) ? content : isRecord(content) ? [content] : [];
  return {
    text: parts.flatMap(partTexts).join("\n"),
    images: parts.filter((part) => imageIn(part)).length,
  };
}

function partTexts(part: unknown): readonly string[] {
  if (typeof part === "string") return [part];
  const record = recordOf(part);
  if (typeof record.text === "string") return record.thought === true ? [] : [record.text];
  const response = recordAt(record, "functionResponse").response;
  if (response === undefined || response === null) return [];
  const known = ["output", "error", "content"]
    .map((key) => recordOf(response)[key])
    .find((one) => typeof one === "string");
  return [typeof known === "string" ? known : typeof response === "string" ? response : spacedJson(response)];
}

function imageIn(part: unknown): boolean {
  const record = recordOf(part);
  const data = isRecord(record.inlineData) ? record.inlineData : recordAt(record, "fileData");
  return stringAt(data, "mimeType").startsWith("image/");
}
