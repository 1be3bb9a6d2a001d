import { guardedNames } from "./boundary.ts";
import { absolutePath } from "./path.ts";
import type { Ground } from "./permission-ground.ts";
import { pathsIn } from "./permission-refused.ts";
import type { Rule } from "./rule.ts";
import type { Part } from "./shell-parts.ts";

/**
 * Why a command that rules allow must still ask: it names what can start commands (`.git/hooks`, settings), and may write
 * there. A rule that spells the folder out covers it. null: it names nothing of the kind, or only reads.
 */
export async function guardedDoubt(
  { words, dir }: Part,
  covering: readonly Rule[],
  ground: Ground,
): Promise<string | null> {
  const [name, ...args] = words;
  const program = (name?.value ?? "").replace(/^.*\//s, "");
  if (looking.has(program) || covering.some(spellsOut)) return null;
  const cwd = (dir ?? []).reduce(absolutePath, ground.cwd);
  for (const [at, { value, text }] of args.entries()) {
    if (leavesOut.test(text) || leavesOut.test(args[at - 1]?.text ?? "")) continue;
    if (value === null && hiddenFolder.test(text)) return `${text} may name what can start commands`;
    for (const path of pathsIn(value ?? text)) {
      const place = await ground.boundary.place(path, cwd);
      if (place.type === "guarded") return `it names ${text}, which can start commands`;
    }
  }
  return null;
}

function spellsOut({ spec }: Rule): boolean {
  return spec.type === "command" && [...guardedNames].some((folder) => spec.pattern.text.includes(folder));
}

/** These read what they name; where options make them write, a broad rule does not cover those. git looks after its own. */
const looking: ReadonlySet<string> = new Set([
  ...["ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "fdfind", "stat", "du"],
  ...["diff", "cmp", "file", "tree", "sed", "awk", "gawk", "mawk", "sort", "cut", "jq", "yq", "test", "[", "echo"],
  ...["printf", "basename", "dirname", "realpath", "readlink", "git", "less", "nl", "comm"],
]);

/** `--exclude=.git`, `--ignore .git`. */
const leavesOut = /^--?(?:exclude|ignore)/;

/** `.g*`, `{.git,x}`: a name that the shell makes and that may begin with a dot. */
const hiddenFolder = /(?:^|[/{,])\.[^/]*[*?[{,}]/;
