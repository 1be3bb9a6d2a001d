/**
 * The first line of a repository's `config` that is not known to be harmless for commands that only read; null: all are.
 * Many settings name programs (`core.fsmonitor`, `diff.*.textconv`, `filter.*.clean`), more come with every version, so
 * the harmless ones are listed. Read line by line and strictly: what git would read in another way is not harmless.
 */
export function doubtfulSetting(config: string): string | null {
  let section = "";
  for (const line of config.split("\n")) {
    const text = line.trim();
    if (text === "" || /^[#;]/.test(text)) continue;
    // The value goes on in the next line, so what looks like a section there is none.
    if (text.endsWith("\\")) return text;
    const header = /^\[([A-Za-z0-9-]+)(?: "(?:[^"\\\n]|\\.)*")?\]$/.exec(text);
    if (header !== null) section = (header[1] ?? "").toLowerCase();
    else {
      const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$)/.exec(text)?.[1]?.toLowerCase();
      if (key === undefined || !isHarmless(section, key)) return key === undefined ? text : `${section}.${key}`;
    }
  }
  return null;
}

function isHarmless(section: string, key: string): boolean {
  const keys = harmless.get(section);
  return keys === "all" || (keys?.has(key) ?? false);
}

const harmless: ReadonlyMap<string, "all" | ReadonlySet<string>> = new Map<string, "all" | ReadonlySet<string>>([
  [
    "core",
    named(
      "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf " +
        "quotepath abbrev longpaths trustctime checkstat preloadindex whitespace protectntfs protecthfs",
    ),
  ],
  ["remote", named("url fetch push pushurl tagopt prune prunetags mirror gh-resolved skipfetchall skipdefaultupdate")],
  ["user", named("name email signingkey useconfigonly")],
  ["author", named("name email")],
  ["committer", named("name email")],
  ["init", named("defaultbranch")],
  ["commit", named("gpgsign verbose")],
  ["tag", named("gpgsign sort")],
  ["gc", named("auto")],
  ["branch", "all"],
  ["pull", "all"],
  ["push", named("default autosetupremote followtags")],
  ["fetch", named("prune prunetags parallel")],
  ["rebase", named("autostash autosquash")],
  ["rerere", named("enabled autoupdate")],
  ["color", "all"],
  ["advice", "all"],
  ["alias", "all"],
  ["diff", named("algorithm renames renamelimit colormoved mnemonicprefix noprefix ignoresubmodules tool guitool")],
  ["merge", named("conflictstyle ff renamelimit tool guitool")],
  // The second file that it turns on is looked at as well.
  ["extensions", named("objectformat refstorage worktreeconfig")],
  ["lfs", named("repositoryformatversion")],
]);

function named(keys: string): ReadonlySet<string> {
  return new Set(keys.split(" "));
}
