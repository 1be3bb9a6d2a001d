import { bounds } from "../kernel/bounds.ts";

/**
 * Is this ONE simple command of literal words, known to change nothing? Fail closed (CASES C-123): whatever is not
 * positively understood is null, and the caller asks. `operands` are the words that may name paths.
 */
export function readOnlyCommand(
  command: string,
): { readonly words: readonly string[]; readonly operands: readonly string[] } | null {
  const words = command.length <= bounds.simpleCommandCharsMax ? literalWords(command) : null;
  if (words === null) return null;
  const [name, second] = words;
  const rules = name === "git" && second !== undefined ? gitCommands.get(second) : commands.get(name ?? "");
  if (rules === undefined) return null;
  const operands = operandsOf(words.slice(name === "git" ? 2 : 1), rules);
  return operands === null ? null : { words, operands };
}

/** The words, when the shell would take each of them as it stands: plain characters, or plain characters in quotes. */
export function literalWords(command: string): readonly string[] | null {
  const words: string[] = [];
  let rest = command.replace(/^ +| +$/g, "");
  while (rest !== "") {
    const found = wordPattern.exec(rest);
    if (found === null) return null;
    words.push(
      found[0].replace(/'([^']*)'|"([^"]*)"/g, (_all, single?: string, double?: string) => single ?? double ?? ""),
    );
    rest = rest.slice(found[0].length).replace(/^ +/, "");
  }
  return words;
}

/**
 * Only what is listed is literal. Not listed, so it asks: `$ \` \ ; & | < > ( ) { } * ? [ ] ! # ~` (where it
 * may name a home), line breaks, tabs, control characters and everything that is not ASCII.
 */
const wordPattern = /^(?!~)(?:[=:](?!~)|[A-Za-z0-9_@%+,./~^-]|'[ -&(-~]*'|"[ #%-[\]^_a-~]*")+(?= |$)/;

type Rules = {
  /** Single letters that may stand together behind one `-`. */
  readonly letters: string;
  /** Whole long flags, without a value or with `=value`. */
  readonly long: ReadonlySet<string>;
  /** Letters that take a value: `-n 5`, `-n5`. */
  readonly valued: string;
  /** `text`: any words, and none of them names a path. */
  readonly operands: "any" | "none" | "text";
  /** Whether `-20` is a flag (a count). */
  readonly counts: boolean;
};

function operandsOf(args: readonly string[], rules: Rules): readonly string[] | null {
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else {
      const kind = flagKind(arg, rules);
      if (kind === "unknown") return null;
      if (kind === "takes-next" && !/^\d+$/.test(args[++at] ?? "")) return null;
    }
  }
  if (rules.operands === "none" && operands.length > 0) return null;
  if (rules.operands === "text") return [];
  return operands.filter((operand) => operand !== "-" && operand !== "");
}

function flagKind(arg: string, rules: Rules): "flag" | "takes-next" | "unknown" {
  if (arg.startsWith("--")) return rules.long.has(arg.split("=", 1)[0] ?? "") ? "flag" : "unknown";
  const letters = arg.slice(1);
  if (rules.counts && /^\d+$/.test(letters)) return "flag";
  if (letters !== "" && rules.valued.includes(letters.charAt(0))) {
    if (letters.length === 1) return "takes-next";
    return /^\d+$/.test(letters.slice(1)) ? "flag" : "unknown";
  }
  return [...letters].every((letter) => rules.letters.includes(letter)) ? "flag" : "unknown";
}

function rules(part: Partial<Omit<Rules, "long">> & { readonly long?: string }): Rules {
  const { letters = "", valued = "", operands = "any", counts = false, long = "" } = part;
  return { letters, valued, operands, counts, long: new Set(long.split(" ").filter((flag) => flag !== "")) };
}

/** No flag here follows a file for ever (`tail -f`), reads names from a file, or writes. */
const commands: ReadonlyMap<string, Rules> = new Map([
  [
    "ls",
    rules({ letters: "1aAdFghiklmnopqrRsStuUx", long: "--all --almost-all --human-readable --recursive --reverse" }),
  ],
  ["cat", rules({ letters: "AbeEnstTv", long: "--number --show-all --show-ends --show-tabs" })],
  ["head", rules({ letters: "qv", valued: "nc", counts: true, long: "--lines --bytes --quiet --verbose" })],
  ["tail", rules({ letters: "qv", valued: "nc", counts: true, long: "--lines --bytes --quiet --verbose" })],
  ["wc", rules({ letters: "lwcmL", long: "--lines --words --bytes --chars --max-line-length" })],
  ["pwd", rules({ letters: "LP", operands: "none" })],
  ["echo", rules({ letters: "neE", operands: "text" })],
  ["true", rules({ operands: "text" })],
  ["false", rules({ operands: "text" })],
  ["test", rules({ letters: "defhLrswxnz" })],
]);

const showing =
  "--stat --shortstat --numstat --name-only --name-status --patch --no-patch --unified --word-diff --color --no-color " +
  "--ignore-all-space --ignore-space-change --ignore-blank-lines --find-renames --summary --minimal";
const listing =
  "--oneline --graph --all --decorate --no-decorate --max-count --since --until --after --before --author " +
  "--grep --merges --no-merges --first-parent --follow --reverse --format --pretty --date --abbrev-commit --abbrev";

/** Only what cannot start a program or write: no `-c`, `--output`, `--ext-diff`, `--textconv`, `--paginate`. */
const gitCommands: ReadonlyMap<string, Rules> = new Map([
  [
    "status",
    rules({
      letters: "sbvuno",
      long: "--short --branch --porcelain --long --untracked-files --ignored --ahead-behind --no-renames",
    }),
  ],
  [
    "diff",
    rules({
      letters: "puswbMRz",
      valued: "U",
      long: `${showing} --cached --staged --merge-base --exit-code --quiet --check`,
    }),
  ],
  ["log", rules({ letters: "puswbMiEz", valued: "nU", counts: true, long: `${showing} ${listing}` })],
  [
    "show",
    rules({ letters: "puswbMz", valued: "U", long: `${showing} --oneline --format --pretty --date --abbrev-commit` }),
  ],
  ["branch", rules({ letters: "avr", operands: "none", long: "--list --all --remotes --show-current --verbose" })],
  ["rev-parse", rules({ long: "--abbrev-ref --short --show-toplevel --is-inside-work-tree --show-prefix --verify" })],
  [
    "ls-files",
    rules({ letters: "cdmoszt", long: "--cached --deleted --modified --others --exclude-standard --stage" }),
  ],
]);
