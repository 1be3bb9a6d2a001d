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
  /** Whole flags behind a single dash (`-name`). */
  readonly dashed: ReadonlySet<string>;
  /** What the first operand must be where it is no path: what is looked for, or a script. */
  readonly first: RegExp | null;
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
    else if (rules.dashed.has(arg)) continue;
    else {
      const kind = flagKind(arg, rules);
      if (kind === "unknown") return null;
      if (kind === "takes-next" && !/^[+-]?\d+$/.test(args[++at] ?? "")) return null;
    }
  }
  if (rules.operands === "none" && operands.length > 0) return null;
  if (rules.operands === "text") return [];
  if (rules.first !== null && !rules.first.test(operands.shift() ?? "")) return null;
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

type Given = Partial<Omit<Rules, "long" | "dashed">> & { readonly long?: string; readonly dashed?: string };

function rules(part: Given): Rules {
  const { letters = "", valued = "", operands = "any", counts = false, first = null, long = "", dashed = "" } = part;
  return { letters, valued, operands, counts, first, long: flags(long), dashed: flags(dashed) };
}

function flags(text: string): ReadonlySet<string> {
  return new Set(text.split(" ").filter((flag) => flag !== ""));
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
  [
    "grep",
    rules({
      letters: "nivclwxoHhqsEFG",
      valued: "ABCm",
      first: /./s,
      long: "--line-number --ignore-case --count --files-with-matches --invert-match --word-regexp --only-matching --max-count",
    }),
  ],
  // Without `-L` it goes behind no link, and it shows names alone.
  [
    "find",
    rules({
      dashed:
        "-name -iname -path -ipath -type -maxdepth -mindepth -not -print -prune -o -a -or -and -size -newer -mtime -mmin -empty",
    }),
  ],
  // `p` of lines by their numbers; other scripts can write and start commands.
  ["sed", rules({ letters: "n", first: /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/ })],
  ["sort", rules({ letters: "nrufbdghMVcCsz", valued: "k", long: "--numeric-sort --reverse --unique" })],
  // A second file would be written.
  ["uniq", rules({ letters: "cdui", valued: "fsw", operands: "none", long: "--count --repeated --unique" })],
  ...["nl", "tac", "rev", "cmp", "comm"].map((name) => [name, rules({})] as const),
  ...["md5sum", "sha1sum", "sha256sum", "cksum"].map((name) => [name, rules({})] as const),
  ["stat", rules({ letters: "t" })],
  ["du", rules({ letters: "shackm", valued: "d", long: "--max-depth --human-readable --summarize" })],
  ["file", rules({ letters: "bi", long: "--brief --mime-type" })],
  ["realpath", rules({ letters: "ems" })],
  ["readlink", rules({ letters: "fem" })],
  ["basename", rules({ operands: "text" })],
  ["dirname", rules({ operands: "text" })],
  ["which", rules({ letters: "a", operands: "text" })],
  ["type", rules({ letters: "tap", operands: "text" })],
  ["date", rules({ letters: "uR", operands: "none" })],
  ["uname", rules({ letters: "asrmnpo", operands: "none" })],
  ...["whoami", "id", "hostname"].map((name) => [name, rules({ operands: "none" })] as const),
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
  ["blame", rules({ letters: "wse", long: "--date" })],
  ["remote", rules({ letters: "v", operands: "none" })],
  ["tag", rules({ letters: "l", operands: "none", long: "--list" })],
  ["describe", rules({ long: "--tags --always --all --long --abbrev" })],
  ["rev-list", rules({ valued: "n", long: "--count --all --max-count --first-parent --no-merges --since --until" })],
  ["merge-base", rules({ letters: "a", long: "--all --is-ancestor" })],
  ["reflog", rules({ valued: "n", counts: true, operands: "none" })],
  ["rev-parse", rules({ long: "--abbrev-ref --short --show-toplevel --is-inside-work-tree --show-prefix --verify" })],
  [
    "ls-files",
    rules({ letters: "cdmoszt", long: "--cached --deleted --modified --others --exclude-standard --stage" }),
  ],
]);
