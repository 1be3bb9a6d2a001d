import { hashOf } from "../kernel/hash.ts";
import { defineTool } from "./define.ts";
import { findMatches, fitted, isOverlapped, lineNumbersOf, type Match } from "./edit-match.ts";
import { whyNotFound } from "./edit-nearest.ts";
import { decodeText, encodeText, latin1Text, type TextFile } from "./encoding.ts";
import { type Files, holdsMask, notSeen, openFile } from "./open-file.ts";
import { done, failed } from "./outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

/** One replacement; `all`: at every place, else there must be exactly one. */
export type Change = { readonly old: string; readonly new: string; readonly all: boolean };

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
      const change: Change = { old, new: replacement, all: all ?? false };
      const wrong = wrongChange(change);
      if (wrong !== null) return wrong;
      return {
        access: { type: "write", path },
        title: `Edit ${path}`,
        run: (context) => editFile(files, path, [change], context),
      };
    },
  });
}

/** What is wrong with a change before any file is looked at. */
export function wrongChange(change: Change): string | null {
  if (change.old === "")
    return "old: expected the text to replace, got an empty string; to write a whole file use Write.";
  return change.old === change.new ? "new: is the same as old; nothing would change." : null;
}

/** All changes one after the other, each on what the one before left; the file is written once, or not at all. */
export async function editFile(
  files: Files,
  path: string,
  changes: readonly Change[],
  context: ToolContext,
): Promise<ToolOutcome> {
  const file = await openFile(files, path, context.cwd);
  if (file.type === "failed") return failed(file.why);
  if (file.type === "absent") return failed(`${path} does not exist; to make a new file use Write.`);
  if (file.more) return failed(`${path} is too large to be edited with this tool; use Bash (sed, a script).`);
  const refusal = notSeen(file, path, context);
  if (refusal !== null) return failed(refusal);
  const decoded = decodeText(file.bytes);
  if (decoded.type === "binary") return failed(`${path} is a binary file (${decoded.why}); Edit changes text only.`);
  for (const change of changes) {
    const held = holdsMask(files, `${change.old}\n${change.new}`, decoded.text);
    if (held !== null) return failed(`${path}: ${held}`);
  }
  const changed = changeAll(decoded, changes);
  if (changed.type === "failed") return failed(`${path}: ${changed.why}`);
  const bytes = encodeText(changed.file);
  if (bytes === null) return failed(`${path}: the file is Latin-1, and new has characters that Latin-1 lacks.`);
  if (hashOf(bytes) === file.hash)
    return failed(`${path}: nothing would change; old and new differ only in line ends.`);
  const written = await files.fs.write(file.path, bytes);
  if (written.type === "failed") return failed(`${path} cannot be written: ${written.why}.`);
  return done(`Edited ${path}, ${changed.where}.`, {
    files: [{ path: file.path, hash: hashOf(bytes), how: "written" }],
  });
}

type Changed =
  | { readonly type: "changed"; readonly file: TextFile; readonly where: string }
  | { readonly type: "failed"; readonly why: string };

function changeAll(file: TextFile, changes: readonly Change[]): Changed {
  const places: string[] = [];
  let now = file;
  for (const [at, change] of changes.entries()) {
    const changed = changeText(now, change);
    if (changed.type === "failed")
      return changes.length === 1
        ? changed
        : { ...changed, why: `edit ${at + 1} of ${changes.length}: ${changed.why} Nothing was changed.` };
    places.push(changed.where);
    now = changed.file;
  }
  return { type: "changed", file: now, where: places.join("; ") };
}

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
  return { type: "changed", file: { ...file, text: replaced(file.text, matches, replacement) }, where };
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
