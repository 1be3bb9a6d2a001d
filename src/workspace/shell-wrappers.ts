import type { Part } from "./shell-parts.ts";
import type { ShellWord } from "./shell-word.ts";

/**
 * The part itself, or the command behind wrappers whose effect is fully understood; null: behind one of them stands something that is not.
 * Only for what is allowed: what is refused is looked for behind every program in `starters`.
 */
export function unwrapped(part: Part): Part | null {
  let words = part.words;
  for (let name = words[0]?.value ?? ""; wrappers.has(name); name = words[0]?.value ?? "") {
    const skipped = wrappers.get(name)?.(words.slice(1)) ?? null;
    if (skipped === null || words.length <= skipped + 1) return null;
    words = words.slice(skipped + 1);
  }
  return words === part.words ? part : { ...part, words };
}

/** How many words stand before the wrapped command; null: not understood. */
type Skip = (words: readonly ShellWord[]) => number | null;

const wrappers: ReadonlyMap<string, Skip> = new Map<string, Skip>([
  [
    "timeout",
    skipOf(/^(?:--preserve-status|--foreground|-v|--verbose|--kill-after=[\w.]+|--signal=\w+)$/, /^-[ks]$/, 1),
  ],
  ["nice", skipOf(/^(?:-\d+|-n-?\d+|--adjustment=-?\d+)$/, /^-n$/, 0)],
  ["stdbuf", skipOf(/^(?:-[ioe][L0]|--(?:input|output|error)=[L0])$/, /^-[ioe]$/, 0)],
  ["nohup", skipOf(/^$/, /^$/, 0)],
  ["command", skipOf(/^$/, /^$/, 0)],
  ["env", skipOf(/^$/, /^$/, 0)],
]);

function skipOf(flag: RegExp, flagWithValue: RegExp, operands: 0 | 1): Skip {
  return (words) => {
    let at = 0;
    for (let value = words[at]?.value ?? null; value?.startsWith("-") ?? false; value = words[at]?.value ?? null) {
      if (value !== null && flagWithValue.test(value) && /^-?[\w.]+$/.test(words[at + 1]?.value ?? "")) at += 2;
      else if (value !== null && flag.test(value)) at += 1;
      else return null;
    }
    if (operands === 1 && !/^\d+(?:\.\d+)?[smhd]?$/.test(words[at++]?.value ?? "")) return null;
    const next = words[at]?.value ?? null;
    // `env A=1 x` sets a variable, and `a=1` is no command's name.
    return next === null || next.includes("=") ? null : at;
  };
}

export const shells: ReadonlySet<string> = new Set("sh bash rbash dash ash zsh ksh mksh csh tcsh fish pwsh".split(" "));

/** Programs that start the program their words name, or run a text. */
export const starters: ReadonlySet<string> = new Set([
  ...wrappers.keys(),
  ...shells,
  ...["sudo", "doas", "su", "runuser", "xargs", "parallel", "watch", "setsid", "ionice", "chrt", "taskset", "chroot"],
  ...[
    "unshare",
    "nsenter",
    "flock",
    "script",
    "strace",
    "ltrace",
    "gdb",
    "busybox",
    "time",
    "entr",
    "ssh",
    "find",
    "fd",
  ],
  ...["setpriv", "prlimit", "numactl", "setarch", "linux32", "linux64", "choom", "fakeroot", "faketime", "unbuffer"],
  ...[
    "toybox",
    "rlwrap",
    "dbus-run-session",
    "xvfb-run",
    "systemd-run",
    "caffeinate",
    "pkexec",
    "proot",
    "bwrap",
    "firejail",
  ],
  ...["exec", "builtin", "eval", "coproc", "tmux", "screen", "expect", "socat", "run-parts", "start-stop-daemon"],
]);

/** A rule that ends right behind the name of a starter says nothing of what is started. These start only by options of theirs. */
export const startingByOption: ReadonlySet<string> = new Set(["find", "fd"]);

/** Builtins that change what later words mean, or take a text for a command: no rule covers them. */
export const reshaping: ReadonlySet<string> = new Set([
  ...["eval", "source", ".", "exec", "trap", "alias", "unalias", "enable", "builtin", "hash", "bind", "complete"],
  ...[
    "compgen",
    "compopt",
    "shopt",
    "set",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "let",
    "read",
    "mapfile",
  ],
  ...[
    "readarray",
    "unset",
    "getopts",
    "fc",
    "history",
    "cd",
    "pushd",
    "popd",
    "dirs",
    "umask",
    "ulimit",
    "wait",
    "shift",
  ],
  ...["suspend", "logout", "disown", "fg", "bg", "caller", "time", "coproc", "function", "select"],
]);
