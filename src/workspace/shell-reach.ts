/**
 * Options by which everyday programs start other programs or write files of any name. A broad rule (`git *`) was not
 * written with these in mind, so it does not cover them; a rule that spells the option out does. A list cannot be complete:
 * rules for commands are a convenience, not a wall (docs/permissions.md).
 */
export function reachOf(words: readonly string[]): string | null {
  const [name = "", ...args] = words;
  const program = name.slice(name.lastIndexOf("/") + 1);
  if (program === "git") return gitReach(args);
  if (program === "sed" || program === "gsed") return sedReach(args);
  const wide = texts.get(program);
  if (wide !== undefined) return args.find((arg) => wide.test(arg)) ?? null;
  return optionIn(args, options.get(program));
}

type Options = { readonly long: string; readonly short: string; readonly words?: string };

const options: ReadonlyMap<string, Options> = new Map([
  ["find", { long: "", short: "", words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls" }],
  ["fd", { long: "--exec --exec-batch", short: "xX" }],
  ["fdfind", { long: "--exec --exec-batch", short: "xX" }],
  ["rg", { long: "--pre --hostname-bin", short: "" }],
  ["sort", { long: "--output --compress-program", short: "oT" }],
  ["tree", { long: "", short: "oR" }],
  ["file", { long: "--compile", short: "C" }],
  ["tar", { long: "--to-command --checkpoint-action --use-compress-program --rsh-command --info-script", short: "IF" }],
  ["rsync", { long: "--rsh --rsync-path", short: "e" }],
]);

/** Small languages that can start commands and open files. */
const texts: ReadonlyMap<string, RegExp> = new Map([
  ["awk", /system|getline|[|>@]|^-[fil]|^--(?:file|load|include|inplace)/],
  ["gawk", /system|getline|[|>@]|^-[fil]|^--(?:file|load|include|inplace)/],
  ["mawk", /system|getline|[|>@]|^-f/],
  // `-v` and `%n` set variables, and a subscript in a variable's name can start commands.
  ["printf", /^-|%[-+ #0'\d.*]*[hlLjztq]*n/],
  ["test", /^-[vRo]|\[/],
  ["[", /^-[vRo]|\[/],
]);

/** Long options may be shortened; short ones may stand together or carry their value. */
function optionIn(args: readonly string[], table: Options | undefined): string | null {
  if (table === undefined) return null;
  const long = table.long.split(" ");
  const found = args.find((arg) => {
    if (table.words?.split(" ").includes(arg)) return true;
    if (arg.startsWith("--"))
      return arg.length >= 4 && long.some((option) => option.startsWith(arg.split("=", 1)[0] ?? arg));
    return arg.startsWith("-") && [...arg.slice(1)].some((letter) => table.short.includes(letter));
  });
  return found ?? null;
}

const gitGlobal = /^(?:--(?:no-pager|no-optional-locks|literal-pathspecs|no-replace-objects|version|help)|-[vPh])$/;
const gitLong =
  "--output --ext-diff --open-files-in-pager --upload-pack --receive-pack --exec --extcmd --config --template";
const gitShort: ReadonlyMap<string, string> = new Map([
  ["clone", "cu"],
  ["fetch", "u"],
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
]);

function gitReach(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => !gitGlobal.test(arg));
  if (at < 0) return null;
  const [command = "", ...rest] = args.slice(at);
  // `-c`, `--exec-path`, `-C` and the like before the command.
  if (command.startsWith("-")) return command;
  if (gitCommands.has(command)) return command;
  const remote = rest.find((arg) => /^ext::|^fd::/.test(arg));
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
  String.raw`^(?:${sedCommand(String.raw`[^\\\n]`)}|${sedCommand(String.raw`[^\\\n[]`)}(?:; *${sedCommand(String.raw`[^\\\n[]`)})*)$`,
);

function sedReach(args: readonly string[]): string | null {
  const odd = args.find(
    (arg) => arg.startsWith("-") && !/^-(?:[nErsuz]+|e|-quiet|-regexp-extended|-expression)$/.test(arg),
  );
  if (odd !== undefined) return odd;
  const marked = args.filter((_arg, at) => /^(?:-e|--expression)$/.test(args[at - 1] ?? ""));
  const scripts = marked.length > 0 ? marked : args.filter((arg) => !arg.startsWith("-")).slice(0, 1);
  return scripts.find((script) => !plainScript.test(script)) ?? null;
}
