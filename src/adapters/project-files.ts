import { type BigIntStats, lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { sortOf, turnOf } from "../memory/project-file.ts";
import type { Fs } from "../ports/fs.ts";
import type { Mask } from "../secrets/mask.ts";
import { decodeText } from "../tools/encoding.ts";
import { type Search, search } from "../tools/ripgrep.ts";
import { isFolder } from "./fs.ts";

/** The files of a workspace that may be searched, and how they are read. */
export type ProjectFiles = {
  readonly roots: readonly string[];
  readonly list: (root: string, signal: AbortSignal) => Promise<Listed>;
  /** Masked; null: it is gone, a link, or no text. */
  readonly read: (path: string) => Promise<{ readonly text: string; readonly hash: string } | null>;
  /** Whether no rule hides a path. */
  readonly isShown: (path: string) => boolean;
  /** Whether a file is there and may be shown, though it was once indexed. */
  readonly isThere: (path: string) => boolean;
  readonly isFolder: (path: string) => Promise<boolean>;
};

export type ListedFile = {
  /** Absolute, and below the root. */
  readonly path: string;
  readonly below: string;
  readonly kind: "docs" | "code";
  readonly stamp: string;
};

export type Listed = {
  /** What should be indexed first stands first. */
  readonly files: readonly ListedFile[];
  /** How many were left out, by why. */
  readonly leftOut: Readonly<Record<LeftOut, number>>;
  /** Why there may be more; null: these are all. */
  readonly partial: string | null;
};

type LeftOut = "generated" | "binary" | "huge" | "hidden" | "too many";

/** What git ignores and what the rules of the user hide is not listed; `.varveignore` leaves out more. */
export function projectFiles(given: { readonly fs: Fs; readonly search: Search; readonly mask: Mask }): ProjectFiles {
  const { fs, mask } = given;
  const { boundary } = given.search;
  const isShown = (path: string): boolean => boundary.hides?.(path) !== true;
  return {
    roots: boundary.roots,
    isThere: (path) => isShown(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true,
    isShown,
    isFolder,
    list: async (root, signal) => {
      const none = { generated: 0, binary: 0, huge: 0, hidden: 0, "too many": 0 };
      const args = ["--files", "--null", ...neverGlobs, ...(await ignoreFile(fs, root))];
      const found = await search(given.search, { path: root, args }, { cwd: root }, signal);
      if (found.type === "ended") return { files: [], leftOut: none, partial: found.outcome.output };
      const names = found.stdout.split("\0").map((name) => name.replace(/^\.\//, ""));
      return { ...(await sorted(root, names, isShown)), partial: found.partial };
    },
    read: async (path) => {
      const read = await fs.read(path, bounds.projectFileBytesMax);
      if (read.type === "failed" || read.more) return null;
      const decoded = decodeText(read.bytes);
      return decoded.type === "binary" ? null : { text: mask.text(decoded.text), hash: hashOf(read.bytes) };
    },
  };
}

/** Where nothing is written by hand, also in a project that git does not know. */
const neverGlobs = ["node_modules", "bower_components", ".venv", "__pycache__", ".tox", ".next", ".cache"].map(
  (name) => `--glob=!**/${name}/**`,
);

async function ignoreFile(fs: Fs, root: string): Promise<readonly string[]> {
  const path = `${root === "/" ? "" : root}/.varveignore`;
  const found = await fs.locate(path);
  return found.type === "found" && found.kind === "file" && found.path === path ? [`--ignore-file=${path}`] : [];
}

async function sorted(
  root: string,
  names: readonly string[],
  isShown: (path: string) => boolean,
): Promise<Omit<Listed, "partial">> {
  const leftOut = { generated: 0, binary: 0, huge: 0, hidden: 0, "too many": 0 };
  const files: ListedFile[] = [];
  const prefix = root === "/" ? "/" : `${root}/`;
  const wanted = names.filter((name) => name !== "").map((below) => ({ below, turn: turnOf(below) }));
  wanted.sort((a, b) => a.turn - b.turn || (a.below < b.below ? -1 : 1));
  for (const [at, { below }] of wanted.entries()) {
    // So many looks at once hold nothing else up for long.
    if (at % statsAtOnce === 0) await setImmediate();
    const path = `${prefix}${below}`;
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat?.isFile() !== true) continue;
    const sort = sortOf(below, Number(stat.size));
    if (!isShown(path)) leftOut.hidden += 1;
    else if (sort.type === "left-out") leftOut[sort.why] += 1;
    else if (files.length >= bounds.projectFilesMax) leftOut["too many"] += 1;
    else files.push({ path, below, kind: sort.type, stamp: stampOf(stat) });
  }
  return { files, leftOut };
}

const statsAtOnce = 250;

function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}
