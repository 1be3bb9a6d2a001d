import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { defineTool } from "./define.ts";
import { decodeText, encodeText, type TextFile } from "./encoding.ts";
import { type Files, holdsMask, notSeen, openFile } from "./open-file.ts";
import { done, failed } from "./outcome.ts";
import { countOf, textLines } from "./read-lines.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

export function writeTool(files: Files): Tool {
  return defineTool({
    name: "Write",
    description:
      "Write a whole file; missing folders are made. An existing file must have been Read before. To change parts, use Edit.",
    fields: { path: { type: "string", optional: false }, content: { type: "string", optional: false } },
    readOnly: false,
    plan: ({ path, content }) => ({
      access: { type: "write", path },
      title: `Write ${path} (${countOf(lineCount(content), "line")})`,
      run: (context) => write(files, path, content, context),
    }),
  });
}

async function write(files: Files, path: string, content: string, context: ToolContext): Promise<ToolOutcome> {
  const old = await openFile(files, path, context.cwd);
  if (old.type === "failed") return failed(old.why);
  if (old.type === "file" && old.more)
    return failed(`${path} is too large to be overwritten with this tool; use Bash.`);
  const refusal = old.type === "file" ? notSeen(old, path, context) : null;
  if (refusal !== null) return failed(refusal);
  const held = holdsMask(files, content, old.type === "file" ? textOf(old.bytes) : "");
  if (held !== null) return failed(`${path}: ${held}`);
  const bytes = old.type === "file" ? likeBefore(old.bytes, content) : encodeText(asUtf8(content));
  if (bytes === null || bytes.length > bounds.captureBytesMax) return failed(`${path}: the content is too large.`);
  const written = await files.fs.write(old.path, bytes);
  if (written.type === "failed") return failed(`${path} cannot be written: ${written.why}.`);
  const what = `${old.type === "file" ? "Overwrote" : "Created"} ${path}: ${countOf(lineCount(content), "line")}, ${countOf(bytes.length, "byte")}.`;
  return done(what, { files: [{ path: old.path, hash: hashOf(bytes), how: "written" }] });
}

/**
 * Exactly the content, but for what a model cannot see in a file it has read: if every line of the old file ended with
 * `\r\n` and the content has only `\n`, the line ends stay `\r\n`; a byte-order mark and UTF-16 stay. What is not UTF-8
 * stays Latin-1 where that has all the characters.
 */
function likeBefore(before: Uint8Array, content: string): Uint8Array | null {
  const old = decodeText(before);
  if (old.type === "binary") return encodeText(asUtf8(content));
  const wasCrlf = old.text.includes("\r\n") && !/(?<!\r)\n/.test(old.text);
  const text = wasCrlf && !content.includes("\r") ? content.replaceAll("\n", "\r\n") : content;
  return encodeText({ ...old, text: old.bom ? withoutBom(text) : text }) ?? encodeText(asUtf8(text));
}

function textOf(bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  return decoded.type === "binary" ? "" : decoded.text;
}

function withoutBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function asUtf8(text: string): TextFile {
  return { type: "text", text, encoding: "utf-8", bom: false };
}

function lineCount(content: string): number {
  return textLines(content).count;
}
