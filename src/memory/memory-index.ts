import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { reminderText } from "../prompt/context.ts";
import { type MemoryFile, type MemoryScope, memoryName } from "./memory-file.ts";
import { unframed, withinTokens } from "./memory-text.ts";

/** One memory folder as it stands: its `MEMORY.md`, null where there is none, and its topic files. */
export type MemoryFolder = {
  readonly scope: MemoryScope;
  readonly folder: string;
  readonly index: string | null;
  readonly files: readonly MemoryFile[];
};

/** What there is, in one block for the start of a session: only names and hooks, no memory itself. null: there is nothing. */
export function memoryIndex(folders: readonly MemoryFolder[], docs: readonly string[]): string | null {
  const sections = folders.flatMap((folder) => {
    const lines = indexLines(folder);
    return lines.length === 0 ? [] : [{ head: `${headings[folder.scope]} (${folder.folder}):`, lines }];
  });
  if (sections.length === 0 && docs.length === 0) return null;
  const named = docs.length === 0 ? [] : [docsLine(docs)];
  const intro = sections.length === 0 ? [] : [opening];
  let left = bounds.memoryIndexTokensMax - estimate(reminderText([...intro, ...named].join("\n"))) - frameTokens;
  const shown = sections.map(({ head, lines }, at) => {
    // What a short one leaves is the next one's.
    const text = withinRoom(head, lines, Math.floor(left / (sections.length - at)));
    left -= estimate(text);
    return text;
  });
  return reminderText([...intro, ...shown, ...named].filter((text) => text !== "").join("\n"));
}

/** For what joins the sections. */
const frameTokens = 20;

const opening =
  "Memory: what was kept from earlier work, by file. What fits a message is brought with it by itself; ReadMemory NAME brings another one. Check it against the code: it may be out of date.";

const headings: { readonly [S in MemoryScope]: string } = {
  project: "This project's",
  user: "The user's, for all projects",
  claude: "Claude Code's of this project",
};

function docsLine(docs: readonly string[]): string {
  return `The project also keeps ${docs.join(" and ")}: not loaded; Read them, by range, where they bear on the task.`;
}

/** `MEMORY.md` as it is, then the files it does not name. */
function indexLines({ scope, index, files }: MemoryFolder): readonly string[] {
  const written = index === null ? [] : unframed(withinIndex(index)).split("\n");
  const said = written.map((line) => line.trimEnd()).filter((line) => line !== "");
  const text = said.join("\n");
  const unnamed = files.filter(({ file }) => !text.includes(file));
  return [
    ...said,
    ...unnamed.map((memory) => unframed(`- ${memoryName({ scope, file: memory.file })}: ${memory.description}`)),
  ];
}

/** The first 200 lines or 25 KB, whichever is less. */
export function withinIndex(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
  // A character that the cut splits goes whole.
  const short = new TextDecoder().decode(bytes.subarray(0, bounds.memoryIndexBytesMax), { stream: true });
  return short.split("\n").slice(0, bounds.memoryIndexLinesMax).join("\n");
}

function withinRoom(head: string, lines: readonly string[], tokensMax: number): string {
  const all = lines.join("\n");
  const room = tokensMax - estimate(`${head}\n`);
  if (estimate(all) <= room) return `${head}\n${all}`;
  const kept = withinTokens(all, room - moreTokens);
  const count = kept === "" ? 0 : kept.split("\n").length;
  const more = lines.length - count;
  return `${head}\n${kept}\n[${more > 0 ? `${more} more lines` : "cut"}: \`varve memory\` lists them all]`;
}

const moreTokens = 20;
