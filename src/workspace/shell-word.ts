import type { DoubleQuotedChild, Word, WordPart } from "unbash";

/** One word of a command. */
export type ShellWord = {
  /** As it stands in the command. */
  readonly text: string;
  /** What the command gets; null: the shell makes it from something that is not in the text. */
  readonly value: string | null;
  /** How it begins, whatever the rest turns out to be: `src/` of `src/$name`. */
  readonly start: string;
  /**
   * Whether it can only become words that begin as it does: it is not split, and so no flag comes out of `src/*.ts` or
   * `"src/$name"`, but one may come out of `*`, `$name` or `src/$name`.
   */
  readonly steady: boolean;
};

/** `bound`: variables that the command itself sets to its own words. */
export function wordOf(word: Word, bound: ReadonlySet<string>): ShellWord {
  const { text } = word;
  if (text.startsWith("~")) return { text, value: null, start: "~", steady: /^~\/[\w./-]*$/.test(text) };
  const pieces = (word.parts ?? [plain(word.value)]).flatMap((part) => pieceOf(part, bound));
  const changing = pieces.findIndex((piece) => piece.value === null);
  const start = pieces
    .slice(0, changing < 0 ? pieces.length : changing)
    .map(({ value }) => value)
    .join("");
  const value = changing < 0 && !/[:=]~/.test(text) ? start : null;
  const whole = pieces.every((piece) => piece.whole);
  const opening = start === "" && pieces[0]?.rooted === true ? "/" : start;
  return { text, value, start, steady: value !== null || (whole && /^[^-]/.test(opening)) };
}

/** `whole`: stays within its word. `rooted`: begins with a `/`, as the home folder does. */
type Piece = { readonly value: string | null; readonly whole: boolean; readonly rooted?: boolean };

const split: Piece = { value: null, whole: false };
const kept: Piece = { value: null, whole: true };

function plain(value: string): WordPart {
  return { type: "Literal", pos: 0, end: 0, value, text: value };
}

function pieceOf(part: WordPart, bound: ReadonlySet<string>): Piece | readonly Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return { value: part.value, whole: true };
    case "AnsiCQuoted":
      return part.text.includes("\\") ? kept : { value: part.value, whole: true };
    case "DoubleQuoted":
      // Even empty it makes a word.
      return [{ value: "", whole: true }, ...part.parts.map((child) => quotedPiece(child, bound))];
    case "Glob":
      return kept;
    case "BraceExpansion":
      return /^\{[\w.,/@:+-]*\}$/.test(part.text) ? kept : split;
    default:
      return split;
  }
}

function quotedPiece(part: DoubleQuotedChild, bound: ReadonlySet<string>): Piece {
  if (part.type === "Literal") return { value: part.value, whole: true };
  if (part.type === "CommandExpansion") {
    const value = writtenOut(part);
    return value === null ? kept : { value, whole: true };
  }
  const name = variableOf(part);
  if (name === null) return split;
  if (folders.has(name)) return { value: null, whole: true, rooted: true };
  return bound.has(name) ? kept : split;
}

/** `$(cat <<'EOF' ...)`, the usual way to pass a text of several lines: the shell adds nothing to what stands there. */
function writtenOut({ script }: Extract<DoubleQuotedChild, { readonly type: "CommandExpansion" }>): string | null {
  const [statement, ...others] = script?.commands ?? [];
  const command = statement?.command;
  if (others.length > 0 || command?.type !== "Command" || command.name?.text !== "cat") return null;
  const [heredoc, ...more] = command.suffix;
  if (command.prefix.length > 0 || more.length > 0 || heredoc?.type !== "HereDoc") return null;
  if (heredoc.operator !== "<<" || heredoc.descriptor !== undefined || heredoc.delimiter?.quoted !== true) return null;
  return heredoc.closing === undefined ? null : heredoc.body.text.replace(/\n+$/, "");
}

/** The name, when it is `$name` or `${name}` and nothing else. */
export function variableOf(part: WordPart): string | null {
  if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") return null;
  return /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(part.text)?.slice(1).find(Boolean) ?? null;
}

/** Variables that hold a folder and no secret. */
export const folders: ReadonlySet<string> = new Set(["HOME", "PWD", "TMPDIR"]);
