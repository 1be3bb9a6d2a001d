import { bounds } from "../kernel/bounds.ts";
import { type ImageType, imageSize } from "../kernel/image.ts";
import type { FileTouch } from "../log/entry.ts";
import { defineTool } from "./define.ts";
import { decodeText, latin1Text } from "./encoding.ts";
import { isNamedImage, mediaOf } from "./media.ts";
import { type Files, openFile } from "./open-file.ts";
import { done, failed } from "./outcome.ts";
import { type Range, renderText } from "./read-lines.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

export function readTool(files: Files): Tool {
  return defineTool({
    name: "Read",
    description:
      "Read a text file or an image. Text comes as `N<tab>line`; the number and tab are not part of the file. Name a range of large files. column starts within a very long line.",
    fields: {
      path: { type: "string", optional: false },
      startLine: { type: "integer", minimum: 1, optional: true },
      endLine: { type: "integer", minimum: 1, optional: true },
      column: { type: "integer", minimum: 1, optional: true },
    },
    readOnly: true,
    plan: ({ path, startLine, endLine, column }) => {
      if (endLine !== undefined && endLine < (startLine ?? 1)) return `endLine: expected >= startLine, got ${endLine}.`;
      if (column !== undefined && endLine !== undefined && endLine !== (startLine ?? 1)) {
        return "column: reads on within one line; leave endLine out.";
      }
      const range = { startLine, endLine, column };
      return {
        access: { type: "read", path },
        title: `Read ${path}${startLine === undefined && endLine === undefined ? "" : ` ${startLine ?? 1}-${endLine ?? ""}`}`,
        run: (context) => read(files, path, range, context),
      };
    },
  });
}

async function read(files: Files, path: string, range: Range, context: ToolContext): Promise<ToolOutcome> {
  const file = await openFile(files, path, context.cwd, "read");
  if (file.type === "failed") return failed(file.why);
  if (file.type === "absent") return failed(`${path} does not exist (looked at ${file.path}).`);
  const touch: readonly FileTouch[] = file.more ? [] : [{ path: file.path, hash: file.hash, how: "read" }];
  const media = mediaOf(file.bytes, path);
  if (media.type === "image") return imageOutcome(path, file.bytes, media.mediaType, touch);
  if (media.type === "other-image")
    return done(`[${path} is a ${media.name} image: it cannot be shown; convert it to PNG to see it]`);
  if (media.type === "pdf") {
    return failed(
      `${path} is a PDF, which Read does not take. Extract its text with Bash: pdftotext ${shellWord(path)} - | head -c 20000`,
    );
  }
  if (isNamedImage(path)) {
    return failed(
      `${path} is named like an image but ${file.bytes.length === 0 ? "is empty" : media.type === "html" ? "holds HTML" : "holds no image that can be shown"}.`,
    );
  }
  const decoded = decodeText(file.bytes);
  if (decoded.type === "binary") {
    return failed(
      `${path} is a binary file (${file.bytes.length} bytes; ${decoded.why}). Look into it with Bash, for example: file, xxd | head.`,
    );
  }
  // Before the range is cut out: half of a secret would not be known for one.
  const rendered = renderText(files.mask?.text(decoded.text) ?? decoded.text, range);
  if (rendered.type === "failed") return failed(`${path} ${rendered.why}`);
  const notes = [...rendered.notes, ...encodingNotes[decoded.encoding], ...(file.more ? [tooLongNote] : [])];
  const output = [rendered.text, ...notes].filter((part) => part !== "").join("\n");
  return done(output, { form: "range", files: touch });
}

const encodingNotes = {
  "utf-8": [],
  "utf-16le": ["[encoding: UTF-16 little-endian]"],
  "utf-16be": ["[encoding: UTF-16 big-endian]"],
  "latin-1": ["[encoding: not UTF-8, read as Latin-1]"],
} as const;

const tooLongNote = `[the file goes on: Read takes its first ${bounds.captureBytesMax} bytes; use Bash (tail -c, sed -n) for the rest]`;

function imageOutcome(path: string, bytes: Uint8Array, mediaType: ImageType, files: readonly FileTouch[]): ToolOutcome {
  if (bytes.length > bounds.imageBytesMax) {
    return failed(
      `${path} is an image of ${bytes.length} bytes; at most ${bounds.imageBytesMax} can be shown. Make it smaller first.`,
    );
  }
  const size = imageSize(bytes, mediaType);
  if (size === null) {
    return failed(
      `${path} begins as ${mediaType} and is no whole image: its header is cut off or damaged, so it is not shown.`,
    );
  }
  if (Math.max(size.width, size.height) > bounds.imagePixelsMax) {
    return failed(
      `${path} is an image of ${size.width} x ${size.height} pixels; at most ${bounds.imagePixelsMax} a side can be shown. Make it smaller first.`,
    );
  }
  const images = [{ mediaType, data: btoa(latin1Text(bytes)) }];
  return done(`[${mediaType} image ${path}, ${bytes.length} bytes]`, { images, files });
}

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
