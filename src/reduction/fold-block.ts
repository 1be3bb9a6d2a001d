import type { Handle } from "../kernel/ids.ts";
import { foldTags, type Tags, withoutTags } from "./fold-tags.ts";
import { type Left, nothingLeft, noWork, type WorkItems, type WorkKind, workTitles } from "./summary-items.ts";

/*
 * The block that stands for finished work, written and read again by the next compaction:
 *
 *   <folded-history>            or <summary-of-earlier-work>, <kept-beside-summary>, <earlier-rounds>
 *   what it is, in one line
 *   <summary-text> ... </summary-text>     by a model; this one's, or a former one's that a fold carries on
 *   [3 older lines left out; ...]
 *   - one line each
 *   <kept-items> ... </kept-items>         read off the work: sections of lines, messages in tags of their own
 *   <stored-items> ... </stored-items>     said anew each time
 *   </folded-history>
 */

/** `beside`: the summary stands in a block of the provider's own. `window`: of what has left a sliding window. */
export type BlockKind = "fold" | "summary" | "beside" | "window";

export type BlockParts = {
  readonly kind: BlockKind;
  readonly handle: Handle;
  readonly summary: string | null;
  readonly lines: readonly string[];
  readonly work: WorkItems;
  /** `storedLines` of what the session has stored. */
  readonly stored: readonly string[];
};

const openings: Readonly<Record<BlockKind, (handle: Handle) => string>> = {
  fold: () =>
    "Work done so far in this session, oldest first, folded to one line each. Nothing is lost: recall with the handle in " +
    "brackets returns an original. Go on from here; do not start over.",
  summary: (handle) =>
    "Work done so far in this session, summed up; a list right behind the summary has what was done for the newest request. " +
    `Nothing is lost: recall handle=${handle} lists every step with the ` +
    "handle of its original, and recall with that handle returns it. Go on from here; do not start over.",
  beside: (handle) =>
    "Beside the summary of earlier work that stands in front: what was done for the newest request, and what must not be lost. " +
    `recall handle=${handle} lists every step with the handle of its original, and recall with that handle returns it. ` +
    "Go on from here; do not start over.",
  window: (handle) =>
    "Rounds of this session that are no longer shown: what they came to, and a line each for what came after that, oldest " +
    `first. Nothing is lost: recall with words finds it again, and recall handle=${handle} lists every step with the handle ` +
    "of its original. Go on from here; do not start over.",
};
const keptOpening =
  "Kept by the program itself, from the work it stands for. Where the text above says otherwise, this is right.";

export function blockText({ kind, handle, summary, lines, work, stored }: BlockParts): string {
  const { open, close } = foldTags[kind];
  return [
    open,
    openings[kind](handle),
    ...(summary === null ? [] : tagged(foldTags.summaryText, [withoutTags(summary)])),
    ...lines.map(withoutTags),
    ...tagged(foldTags.kept, opened(workLines(work))),
    ...tagged(foldTags.stored, stored),
    close,
  ].join("\n");
}

function opened(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [keptOpening, ...lines];
}

function tagged({ open, close }: Tags, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [open, ...lines, close];
}

export function workLines(work: WorkItems): readonly string[] {
  return kinds.flatMap((kind) => {
    const { entries, left } = work[kind];
    const note = left.count === 0 ? [] : [leftLine(left)];
    const lines = kind === "messages" ? entries.map(messageText) : entries.map((entry) => entryLine(kind, entry));
    if (lines.length + note.length === 0) return [];
    // The oldest message stands in front of those that are left out.
    return kind === "messages"
      ? [workTitles[kind], ...lines.slice(0, 1), ...note, ...lines.slice(1)]
      : [workTitles[kind], ...note, ...lines];
  });
}

const kinds: readonly WorkKind[] = ["messages", "changed", "read", "done"];

/** Lines of work are lists' own already. */
function entryLine(kind: WorkKind, entry: string): string {
  return withoutTags(kind === "done" ? entry : `- ${entry}`);
}

function messageText(message: string): string {
  return [foldTags.message.open, withoutTags(message), foldTags.message.close].join("\n");
}

function leftLine({ count, handles }: Left): string {
  return `[${count} older left out; ${handles.map((handle) => `recall handle=${handle}`).join(", ")}]`;
}

const leftPattern = /^\[(\d+) older left out; recall handle=[a-z0-9]+(?:, recall handle=[a-z0-9]+)*\]$/;

export type ReadBlock = {
  readonly summary: string | null;
  readonly lines: readonly string[];
  readonly work: WorkItems;
};

/** What an older block goes on with: without its frame, what was stored then, and results it quoted behind itself. */
export function readBlock(text: string): ReadBlock {
  const all = text.split("\n");
  const frames = [foldTags.fold, foldTags.summary, foldTags.beside, foldTags.window];
  const frame = frames.find(({ open }) => open === all[0]);
  // A line of collapsed work, or somebody else's summary.
  if (frame === undefined && all.length === 1) return { summary: null, lines: all, work: noWork };
  if (frame === undefined) return { summary: text, lines: [], work: noWork };
  const inner = before(all.slice(2), frame.close);
  const summary = inner[0] === foldTags.summaryText.open ? before(inner.slice(1), foldTags.summaryText.close) : null;
  const behind = summary === null ? inner : inner.slice(summary.length + 2);
  const lines = before(before(behind, foldTags.kept.open), foldTags.stored.open);
  const kept = behind[lines.length] === foldTags.kept.open ? behind.slice(lines.length + 1) : [];
  return { summary: summary?.join("\n") ?? null, lines, work: readWork(before(kept, foldTags.kept.close)) };
}

/** All lines where it is not among them. */
function before(lines: readonly string[], line: string): readonly string[] {
  const at = lines.indexOf(line);
  return at < 0 ? lines : lines.slice(0, at);
}

function readWork(lines: readonly string[]): WorkItems {
  const entries: Record<WorkKind, string[]> = { messages: [], changed: [], read: [], done: [] };
  const left = { messages: nothingLeft, changed: nothingLeft, read: nothingLeft, done: nothingLeft };
  let section: WorkKind = "messages";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const title = kinds.find((kind) => workTitles[kind] === line);
    const note = leftIn(line);
    if (title !== undefined) section = title;
    else if (line === foldTags.message.open) {
      const message = before(lines.slice(at + 1), foldTags.message.close);
      entries.messages.push(message.join("\n"));
      at += message.length + 1;
    } else if (note !== null) left[section] = note;
    else if (section === "done") entries.done.push(line);
    else if (line.startsWith("- ")) entries[section].push(line.slice(2));
  }
  const kept = (kind: WorkKind) => ({ entries: entries[kind], left: left[kind] });
  return { messages: kept("messages"), changed: kept("changed"), read: kept("read"), done: kept("done") };
}

function leftIn(line: string): Left | null {
  const count = leftPattern.exec(line)?.[1];
  if (count === undefined) return null;
  const handles = [...line.matchAll(/handle=([a-z0-9]+)/g)].map(([, handle]) => handle ?? "");
  return { count: Number(count), handles };
}
