import { hashOf } from "../kernel/hash.ts";

/** What becomes of a text that is to hold a section of ours. */
export type SectionPut =
  | { readonly type: "written"; readonly text: string }
  /** It holds the section already, word for word. */
  | { readonly type: "same" }
  /** Somebody changed it, or one cannot say where it ends: it is theirs. */
  | { readonly type: "theirs"; readonly why: string };

export type Section = { readonly name: string; readonly body: string };

/**
 * Puts a section between markers into a text, behind all that is there, or in the place of what was put there before. The
 * opening marker carries a hash of what stands below it, so that a section somebody changed is known and left alone.
 * Markers are HTML comments: readers of Markdown do not see them, and agents leave them out.
 */
export function withSection(text: string, section: Section): SectionPut {
  const [bom, rest] = text.startsWith("\ufeff") ? ["\ufeff", text.slice(1)] : ["", text];
  const found = look(linesOf(rest), section.name);
  if (found.type === "broken") return { type: "theirs", why: found.why };
  const eol = eolOf(rest);
  const whole = marked(section, eol);
  if (found.type === "absent") return { type: "written", text: `${bom}${apart(rest, eol)}${whole}${eol}` };
  const { from, to, hash, body } = found;
  if (stamp(body) !== hash) return { type: "theirs", why: `somebody changed it (line ${from + 1})` };
  if (body === section.body) return { type: "same" };
  const lines = rest.split("\n");
  const end = lines[to]?.endsWith("\r") === true ? "\r" : "";
  return { type: "written", text: bom + [...lines.slice(0, from), whole + end, ...lines.slice(to + 1)].join("\n") };
}

/** Whether a text holds a section of that name, whole or not. */
export function hasSection(text: string, name: string): boolean {
  return look(linesOf(text.replace(/^\ufeff/, "")), name).type !== "absent";
}

/** How the first line of a text ends; `\n` where there is none. */
export function eolOf(text: string): "\n" | "\r\n" {
  const first = text.indexOf("\n");
  return first > 0 && text[first - 1] === "\r" ? "\r\n" : "\n";
}

type Look =
  | { readonly type: "absent" }
  | { readonly type: "broken"; readonly why: string }
  /** Lines of the markers, and what stands between them. */
  | {
      readonly type: "found";
      readonly from: number;
      readonly to: number;
      readonly hash: string;
      readonly body: string;
    };

function look(lines: readonly string[], name: string): Look {
  const { opens, closes, unclosed } = markersIn(lines, name);
  const [from, to] = [opens[0]?.line, closes[0]];
  if (from === undefined && to === undefined)
    return unclosed === null ? { type: "absent" } : { type: "broken", why: unclosed };
  if (from === undefined || to === undefined || opens.length > 1 || closes.length > 1 || to < from)
    return { type: "broken", why: `its markers are no longer one pair (line ${(from ?? to ?? 0) + 1})` };
  const body = lines.slice(from + 1, to).join("\n");
  return { type: "found", from, to, hash: opens[0]?.hash ?? "", body };
}

type Markers = {
  readonly opens: readonly { readonly line: number; readonly hash: string }[];
  readonly closes: readonly number[];
  /** Why what is put behind the text would not be read as text; null: it would. */
  readonly unclosed: string | null;
};

/** Markers in a block of code or in a longer comment are shown, not meant. */
function markersIn(lines: readonly string[], name: string): Markers {
  const opens: { readonly line: number; readonly hash: string }[] = [];
  const closes: number[] = [];
  let fence: { readonly mark: string; readonly line: number } | null = null;
  let comment: number | null = null;
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (comment !== null) {
      if (text.includes("-->")) comment = null;
    } else if (fence !== null) {
      if (mark?.startsWith(fence.mark) === true && text.trim() === mark) fence = null;
    } else if (mark !== undefined) fence = { mark, line };
    else if (/^ {0,3}<!--/.test(text) && !text.includes("-->")) comment = line;
    else if (text.trimEnd() === closing(name)) closes.push(line);
    else {
      const hash = opening.exec(text.trimEnd());
      if (hash?.[1] === name) opens.push({ line, hash: hash[2] ?? "" });
    }
  }
  const open = fence === null ? comment : fence.line;
  const what = fence === null ? "comment" : "block of code";
  return { opens, closes, unclosed: open === null ? null : `the ${what} of line ${open + 1} has no end` };
}

const opening = /^<!-- varve:begin ([\w-]+) ([0-9a-f]{12})(?: .*)?-->$/;

function closing(name: string): string {
  return `<!-- varve:end ${name} -->`;
}

function marked({ name, body }: Section, eol: string): string {
  const begin = `<!-- varve:begin ${name} ${stamp(body)} (by \`varve init\`; once you change it, it is yours) -->`;
  return [begin, ...body.split("\n"), closing(name)].join(eol);
}

function stamp(body: string): string {
  return hashOf(body).slice(0, 12);
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

/** The text with an empty line at its end, where it has any text. */
function apart(text: string, eol: string): string {
  if (text === "") return text;
  const ended = text.endsWith("\n") ? text : `${text}${eol}`;
  return /\n\r?\n$/.test(ended) ? ended : `${ended}${eol}`;
}
