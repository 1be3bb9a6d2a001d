/**
 * Options by which everyday programs start other programs or write files of any name. A broad rule (`git *`) was not
 * written with these in mind, so it does not cover them; a rule that spells the option out does. A list cannot be complete:
 * rules for commands are a convenience, not a wall (docs/permissions.md).
 */
export function reachOf(words: readonly string[]): string | null {
  const [name = "", ...args] = words;
  const program = name.slice(name.lastIndexOf("/") + 1);
  const own = looks.get(program);
  if (own !== undefined) return own(args);
  const wide = texts.get(program);
  if (wide !== undefined) return args.find((arg) => wide.test(arg)) ?? null;
  return optionIn(args, options.get(program));
}

const looks: ReadonlyMap<string, (args: readonly string[]) => string | null> = new Map([
  ["git", gitReach],
  ["sed", sedReach],
  ["gsed", sedReach],
  ["awk", awkReach],
  ["gawk", awkReach],
  ["mawk", awkReach],
  // `tar cIf program archive`: the first word needs no dash.
  ["tar", ([first = "", ...rest]) => optionIn([first.replace(/^(?!-)/, "-"), ...rest], options.get("tar"))],
  ["uniq", (args) => secondOperand(args, /^-[fsw]$/)],
  ["xxd", (args) => secondOperand(args, /^-[clsgob]$/)],
  ["npm", packageReach],
  ["pnpm", packageReach],
  ["yarn", packageReach],
]);

type Options = {
  readonly long: string;
  readonly short: string;
  /** Short options whose value may follow at once, so that no letter behind them is an option. */
  readonly valued?: string;
  readonly words?: string;
  /** Those of them that only name a file to write: `-` and `/dev/null` are none. */
  readonly files?: string;
};

const options: ReadonlyMap<string, Options> = new Map([
  ["find", { long: "", short: "", words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls" }],
  ["fd", { long: "--exec --exec-batch", short: "xX" }],
  ["fdfind", { long: "--exec --exec-batch", short: "xX" }],
  ["rg", { long: "--pre --hostname-bin", short: "" }],
  ["ag", { long: "--pager", short: "" }],
  ["ack", { long: "--pager --output", short: "" }],
  ["sort", { long: "--output --compress-program", short: "oT", valued: "kt", files: "o --output" }],
  ["tree", { long: "", short: "oR", valued: "LPI" }],
  ["file", { long: "--compile", short: "C" }],
  [
    "tar",
    {
      long: "--to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script",
      short: "IF",
    },
  ],
  ["rsync", { long: "--rsh --rsync-path", short: "e" }],
  ["zip", { long: "--unzip-command", short: "", words: "-TT" }],
  ["yq", { long: "--inplace --split-exp", short: "is", valued: "opI" }],
  [
    "less",
    { long: "--log-file --LOG-FILE --lesskey-file --lesskey-src", short: "oOk", valued: "pPtTxyzDjb", words: "+" },
  ],
  ["man", { long: "--pager --html --config-file", short: "PHC", valued: "MSsLREp" }],
  ["ssh", { long: "", short: "oFIESJ", valued: "pilLRDbcmeQBw" }],
  ["scp", { long: "", short: "oFSDJ", valued: "Pilc" }],
  ["sftp", { long: "", short: "oFSDJb", valued: "Pilc" }],
  ["cargo", { long: "--config", short: "" }],
  ["go", { long: "", short: "", words: "-exec -toolexec -vettool -overlay" }],
  [
    "curl",
    {
      long:
        "--output --remote-name --remote-name-all --output-dir --config --dump-header --cookie-jar --trace --trace-ascii " +
        "--stderr --libcurl --hsts --alt-svc --etag-save --engine",
      short: "oOKDc",
      valued: "XHdbAuwemrxFTEQYyzCtP",
      files: "o D c --output --dump-header --cookie-jar --trace --trace-ascii --stderr",
    },
  ],
  [
    "wget",
    {
      long:
        "--output-document --output-file --append-output --directory-prefix --execute --use-askpass --config " +
        "--save-cookies --warc-file --rejected-log",
      short: "OoaPe",
      valued: "UtTwQlARDIXBi",
      files: "O o a --output-document --output-file --append-output",
    },
  ],
]);

/** Small languages that can start commands and open files, and variables that name programs. */
const texts: ReadonlyMap<string, RegExp> = new Map([
  // `-v` and `%n` set variables, and a subscript in a variable's name can start commands.
  ["printf", /^-|%[-+ #0'\d.*]*[hlLjztq]*n/],
  ["test", /^-[vRo]|\[/],
  ["[", /^-[vRo]|\[/],
  ["make", /^-E|^--ev|\$|^(?:\.SHELLFLAGS|SHELL|MAKEFLAGS|GNUMAKEFLAGS)\s*[:+?!]*=/],
]);

/** Long options may be shortened; short ones may stand together or carry their value. What goes nowhere is no file. */
function optionIn(args: readonly string[], table: Options | undefined): string | null {
  if (table === undefined) return null;
  const long = table.long.split(" ");
  const words = table.words?.split(" ") ?? [];
  const files = table.files?.split(" ") ?? [];
  const reaches = (option: string, value: string | undefined) =>
    !(files.includes(option) && (value === "/dev/null" || value === "-"));
  const found = args.find((arg, at) => {
    if (words.some((word) => arg === word || arg.startsWith(word === "+" ? word : `${word}=`))) return true;
    if (arg.startsWith("--")) {
      const [option = arg, value = args[at + 1]] = arg.split(/=(.*)/s, 2);
      return option.length > 2 && long.some((one) => one.startsWith(option)) && reaches(option, value);
    }
    const letter = arg.startsWith("-") ? firstLetter(arg, table) : 0;
    return letter > 0 && reaches(arg.charAt(letter), arg.slice(letter + 1) || args[at + 1]);
  });
  return found ?? null;
}

/** Where the first option of the table stands among letters that stand together; below 1: nowhere. */
function firstLetter(arg: string, { short, valued = "" }: Options): number {
  const at = [...arg].findIndex((letter, index) => index > 0 && `${short}${valued}`.includes(letter));
  return short.includes(arg.charAt(at)) ? at : 0;
}

/** The first file is read, the second one written. */
function secondOperand(args: readonly string[], flagWithValue: RegExp): string | null {
  const operands = args.filter((arg, at) => !/^-./.test(arg) && !flagWithValue.test(args[at - 1] ?? ""));
  return operands[1] ?? null;
}

/** Options of the package manager itself, in front of `--`: other shells, other settings, scripts of a folder elsewhere. */
function packageReach(args: readonly string[]): string | null {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const found = own.find((arg, at) => {
    if (/^--(?:scri|node-o|userc|globalc|use-node)/.test(arg)) return true;
    const folder = /^(?:--(?:pref|prefi|prefix|cwd|dir)|-C)(?:=(.*))?$/s.exec(arg);
    return folder !== null && /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(folder[1] ?? own[at + 1] ?? "/");
  });
  return found ?? null;
}

/** In front of the first `{` nothing prints: `>` compares there, as it does in parentheses, and `|` stands in a pattern. */
function awkReach(args: readonly string[]): string | null {
  const found = args.find((arg, at) => {
    if (/^-(?:F.*|v.*|-)?$/s.test(arg) || args[at - 1] === "-F") return false;
    if (arg.startsWith("-") || /system|getline|@/.test(arg)) return true;
    const printing = /\{.*/s.exec(arg)?.[0] ?? "";
    return /[|>]/.test(printing.replaceAll(/\([^(){}"'/;\n]*\)|>=/g, ""));
  });
  return found ?? null;
}

const gitGlobal = /^(?:--(?:no-pager|no-optional-locks|literal-pathspecs|no-replace-objects|version|help)|-[vPh])$/;
const gitLong =
  "--output --output-directory --ext-diff --open-files-in-pager --upload-pack --receive-pack --exec --extcmd --config --template";
const gitShort: ReadonlyMap<string, string> = new Map([
  ["clone", "cu"],
  ["fetch", "u"],
  ["format-patch", "o"],
  ["grep", "O"],
  ["rebase", "x"],
  ["difftool", "x"],
  ["archive", "o"],
  ["init", "t"],
]);
/** Their business is to start programs, to name ones for later, or to run another command's text. */
const gitCommands: ReadonlySet<string> = new Set([
  ...["config", "filter-branch", "difftool", "mergetool", "bisect", "submodule", "send-email", "daemon", "instaweb"],
  ...["web--browse", "gui", "citool", "remote-ext", "remote-fd", "hook", "for-each-repo", "credential", "upload-pack"],
  ...["receive-pack", "shell", "http-backend", "fast-import", "replay", "maintenance", "lfs", "update-index"],
  ...["merge-index", "checkout-index", "bundle", "fast-export", "credential-store", "credential-cache", "p4", "svn"],
  ...["imap-send", "bugreport", "diagnose", "cvsimport", "cvsexportcommit"],
]);

/** What these commands do when this word comes first starts nothing and names nothing. */
const harmlessGit: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["config", new Set(["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"])],
  ["bisect", new Set(["start", "good", "bad", "skip", "reset", "log"])],
]);

function gitReach(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => !gitGlobal.test(arg));
  if (at < 0) return null;
  const [command = "", ...rest] = args.slice(at);
  // `-c`, `--exec-path`, `-C` and the like before the command.
  if (command.startsWith("-")) return command;
  if (harmlessGit.get(command)?.has(rest[0] ?? "") === true) return null;
  if (gitCommands.has(command)) return command;
  const remote = rest.find((arg) => /(?:^|=)(?:ext|fd)::/.test(arg));
  return remote ?? optionIn(rest, { long: gitLong, short: gitShort.get(command) ?? "" });
}

/** Printing, deleting and plain replacements; `e` starts commands, `w` writes files. `inner`: what may stand between marks. */
function sedCommand(inner: string): string {
  const address = String.raw`(?:\d+|\$|\/(?:\\.|(?!\/)${inner})*\/)`;
  const replacements = ["/", "|", ",", "#", "@"].map((mark) => {
    const text = String.raw`(?:\\.|(?![${mark}])${inner})*`;
    return `s[${mark}]${text}[${mark}]${text}[${mark}][gpiI\\d]*`;
  });
  return `(?:${address}(?:,(?:${address}|\\+\\d+))?)?(?:[pdq=]|${replacements.join("|")})`;
}

/** In a set (`[/]`) a mark may be none, so a script with sets is one command: nothing can follow a mark that is misread. */
const plainScript = new RegExp(
  `^(?:${sedCommand(String.raw`[^\\\n]`)}|${sedCommand(String.raw`[^\\\n[]`)}(?:; *${sedCommand(String.raw`[^\\\n[]`)})*)$`,
);

function sedReach(args: readonly string[]): string | null {
  const odd = args.find(
    (arg) => arg.startsWith("-") && !/^-(?:[nErsuz]+e?|e|-quiet|-regexp-extended|-expression)$/.test(arg),
  );
  if (odd !== undefined) return odd;
  const marked = args.filter((_arg, at) => /^(?:-[nErsuz]*e|--expression)$/.test(args[at - 1] ?? ""));
  const scripts = marked.length > 0 ? marked : args.filter((arg) => !arg.startsWith("-")).slice(0, 1);
  return scripts.find((script) => !plainScript.test(script)) ?? null;
}
