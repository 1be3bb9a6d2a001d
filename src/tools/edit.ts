import { hashOf } from "../kernel/hash.ts";
import { defineTool } from "./define.ts";
import { findMatches, fitted, isOverlapped, lineNumbersOf, type Match } from "./edit-match.ts";
import { whyNotFound } from "./edit-nearest.ts";
import { decodeText, encodeText, latin1Text, type TextFile } from "./encoding.ts";
import { type Files, notSeen, openFile } from "./open-file.ts";
import { done, failed } from "./outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

type Change = { readonly old: string; readonly new: string; readonly all: boolean };

export function editTool(files: Files): Tool {
  return defineTool({
    name: "Edit",
    description:
      "Replace exact text in a file that was Read before. old must match exactly, indentation included and without line numbers, and occur once (or set all). Line ends are kept as they are.",
    fields: {
      path: { type: "string", optional: false },
      old: { type: "string", optional: false },
      new: { type: "string", optional: false },
      all: { type: "boolean", optional: true },
    },
    readOnly: false,
    plan: ({ path, old, new: replacement, all }) => {
      if (old === "") return "old: expected the text to replace, got an empty string; to write a whole file use Write.";
      if (old === replacement) return "new: is the same as old; nothing would change.";
      const change: Change = { old, new: replacement, all: all ?? false };
      return {
        access: { type: "write", path },
        title: `Edit ${path}`,
        run: (context) => edit(files, path, change, context),
      };
    },
  });
}

async function edit(files: Files, path: string, change: Change, context: ToolContext): Promise<ToolOutcome> {
  const file = await openFile(files, path, context.cwd);
  if (file.type === "failed") return failed(file.why);
  if (file.type === "absent") return failed(`${path} does not exist; to make a new file use Write.`);
  if (file.more) return failed(`${path} is too large to be edited with this tool; use Bash (sed, a script).`);
  const refusal = notSeen(file, path, context);
  if (refusal !== null) return failed(refusal);
  const decoded = decodeText(file.bytes);
  if (decoded.type === "binary") return failed(`${path} is a binary file (${decoded.why}); Edit changes text only.`);
  const changed = changeText(decoded, change);
  if (changed.type === "failed") return failed(`${path}: ${changed.why}`);
  if (hashOf(changed.bytes) === file.hash)
    return failed(`${path}: nothing would change; old and new differ only in line ends.`);
  const written = await files.fs.write(file.path, changed.bytes);
  if (written.type === "failed") return failed(`${path} cannot be written: ${written.why}.`);
  return done(`Edited ${path}, ${changed.where}.`, {
    files: [{ path: file.path, hash: hashOf(changed.bytes), how: "written" }],
  });
}

type Changed =
  | { readonly type: "changed"; readonly bytes: Uint8Array; readonly where: string }
  | { readonly type: "failed"; readonly why: string };

function changeText(file: TextFile, change: Change): Changed {
  const { old, matches } = findInFile(file, change.old);
  if (matches === null) return { type: "failed", why: "old occurs too many times for one edit; use Bash." };
  if (matches.length === 0) return { type: "failed", why: `old was not found. ${whyNotFound(file.text, change.old)}` };
  const lines = [...new Set(lineNumbersOf(file.text, matches, linesSaid))];
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${matches.length > linesSaid ? ", …" : ""}`;
  if (matches.length > 1 && !change.all) {
    return {
      type: "failed",
      why: `old occurs ${matches.length} times (${where}); add lines around the one you mean, or set all.`,
    };
  }
  const [only] = matches;
  if (only !== undefined && !change.all && isOverlapped(file.text, old, only)) {
    return {
      type: "failed",
      why: `old occurs again within itself (${where}), so it is not clear which place is meant; add what stands before or behind it.`,
    };
  }
  const replacement = old === change.old ? change.new : utf8AsLatin1(change.new);
  const bytes = encodeText({ ...file, text: replaced(file.text, matches, replacement) });
  if (bytes === null) return { type: "failed", why: "the file is Latin-1, and new has characters that Latin-1 lacks." };
  return { type: "changed", bytes, where };
}

const linesSaid = 10;

/** A file with some broken UTF-8 is read byte by byte; its good UTF-8 is found through the same bytes. */
function findInFile(file: TextFile, old: string): { readonly old: string; readonly matches: readonly Match[] | null } {
  const matches = findMatches(file.text, old);
  const bytewise = file.encoding === "latin-1" && matches?.length === 0 ? utf8AsLatin1(old) : old;
  return bytewise === old ? { old, matches } : { old: bytewise, matches: findMatches(file.text, bytewise) };
}

function utf8AsLatin1(text: string): string {
  return latin1Text(new TextEncoder().encode(text));
}

function replaced(text: string, matches: readonly Match[], replacement: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of matches) {
    parts.push(text.slice(at, match.from), fitted(text, match, replacement));
    at = match.to;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
