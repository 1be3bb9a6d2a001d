import { argumentWords } from "./arguments.ts";
import { type CommandPiece, type InertCommand, inertCommand } from "./template-shell.ts";

/** What a template is filled with. */
export type TemplateValues = {
  /** What was typed behind the name, as typed. */
  readonly typed: string;
  /** Names of its words, in order: `$issue` is the first where the first name is `issue`. */
  readonly names: readonly string[];
  /** `SESSION_ID` is `${CLAUDE_SESSION_ID}` and `${VARVE_SESSION_ID}`. What is not in here stays as it stands. */
  readonly variables: Readonly<Record<string, string>>;
};

export type LineRange = { readonly from: number; readonly to: number };

/** A piece of what comes of a template. `written`: what stood there. What a shell or a file gives is never looked through again. */
export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "shell"; readonly written: string } & InertCommand)
  | { readonly type: "file"; readonly written: string; readonly path: string; readonly lines: LineRange | null };

export type Expanded =
  | { readonly type: "ok"; readonly parts: readonly TemplatePart[] }
  | { readonly type: "bad"; readonly why: string };

/**
 * The one pass over a template (PROTOCOLS G.4): `$ARGUMENTS`, `$ARGUMENTS[N]`, `$N` from 0, `$name`, `${CLAUDE_...}`,
 * !`command` at the start of a line or behind white space, `@file` with `#L10-20` or `:10-20`. In the text the words stand as
 * typed, in a command each is one inert word (CASES C-099). A backslash in front of a `$` keeps it as it is. Where no place for
 * arguments is named they follow at the end.
 */
export function expandTemplate(template: string, values: TemplateValues): Expanded {
  const fill = filler(values);
  const parts: TemplatePart[] = [];
  let text = "";
  let done = 0;
  for (const match of template.matchAll(outer)) {
    const [written, command, quoted, bare] = match;
    const part = command === undefined ? fileOf(written, quoted ?? bare ?? "", fill) : shellOf(written, command, fill);
    if (part.type === "bad") return part;
    text += fill.plain(template.slice(done, match.index));
    if (text !== "") parts.push({ type: "text", text });
    text = part.type === "file" ? part.behind : "";
    parts.push(part.type === "file" ? part.part : part);
    done = match.index + written.length;
  }
  text += fill.plain(template.slice(done));
  if (!fill.used() && values.typed.trim() !== "") text = `${text.trimEnd()}\n\nARGUMENTS: ${values.typed}`;
  return { type: "ok", parts: text === "" ? parts : [...parts, { type: "text", text }] };
}

/** A command between !` and `, a path behind @ in quotes, or a bare one. */
const outer = /(?<=^|\s)!`([^`\n]+)`|(?<=^|[\s(["'])@(?:"([^"\n]+)"|([^\s`"'<>]+))/gm;

type Filler = {
  plain(text: string): string;
  pieces(text: string): readonly CommandPiece[];
  used(): boolean;
};

/** `used`: whether some place for arguments was met. */
function filler({ typed, names, variables }: TemplateValues): Filler {
  const words = argumentWords(typed);
  const pattern = placeholders(names);
  let used = false;
  const wordAt = ([, index, all, number, name, variable]: RegExpExecArray): string | null | undefined => {
    if (variable !== undefined) return Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    used = true;
    if (all !== undefined) return typed === "" ? null : typed;
    return words[name === undefined ? Number(index ?? number) : names.indexOf(name)] ?? null;
  };
  const pieces = (text: string): readonly CommandPiece[] => {
    const found: CommandPiece[] = [];
    let done = 0;
    for (const match of text.matchAll(pattern)) {
      const [written] = match;
      const value = written.startsWith("\\") ? written.slice(1) : wordAt(match);
      if (value === undefined) continue;
      found.push({ type: "written", text: text.slice(done, match.index) });
      if (written.startsWith("\\")) found.push({ type: "written", text: written.slice(1) });
      else if (value !== null) found.push({ type: match[5] === undefined ? "argument" : "variable", value });
      done = match.index + written.length;
    }
    return [...found, { type: "written", text: text.slice(done) }];
  };
  const plain = (text: string) =>
    pieces(text)
      .map((piece) => (piece.type === "written" ? piece.text : piece.value))
      .join("");
  return { pieces, plain, used: () => used };
}

function placeholders(names: readonly string[]): RegExp {
  // Longest first: of `$file_name` and `$file` the one that stands there.
  const named = names.filter((name) => /^[A-Za-z_][\w-]*$/.test(name)).toSorted((a, b) => b.length - a.length);
  const name = named.length === 0 ? "(?!)" : named.join("|");
  return new RegExp(
    String.raw`\\?\$(?:ARGUMENTS\[(\d{1,4})\]|(ARGUMENTS)(?!\w)|(\d{1,4})(?!\d)|(${name})(?!\w)|\{(?:CLAUDE|VARVE)_([A-Z_]+)\})`,
    "g",
  );
}

function shellOf(written: string, command: string, fill: Filler): (TemplatePart & { type: "shell" }) | Bad {
  const inert = inertCommand(fill.pieces(command));
  return inert.type === "bad"
    ? { type: "bad", why: `${written}: ${inert.why}` }
    : { ...inert.command, type: "shell", written };
}

type Bad = { readonly type: "bad"; readonly why: string };
type FoundFile = { readonly type: "file"; readonly part: TemplatePart; readonly behind: string };

/** `behind`: marks that end the sentence, not the path. */
function fileOf(written: string, inside: string, fill: Filler): FoundFile {
  const isQuoted = written.startsWith('@"');
  const named = fill.plain(inside);
  const bare = isQuoted ? named : named.replace(/[.,;:!?)\]}]+$/, "");
  const range = /(?:#L?|:)(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(bare);
  const path = range === null ? bare : bare.slice(0, range.index);
  const from = Number(range?.[1] ?? 1);
  const lines = range === null ? null : { from, to: Number(range[2] ?? from) };
  const behind = named.slice(bare.length);
  const part: TemplatePart =
    path === ""
      ? { type: "text", text: `@${bare}` }
      : { type: "file", written: isQuoted ? `@"${named}"` : `@${bare}`, path, lines };
  return { type: "file", part, behind };
}
