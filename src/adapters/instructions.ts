import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { InstructionOrigin, InstructionsAsked, InstructionsFound } from "../ports/instructions.ts";
import {
  excluding,
  folderOf,
  foldersDown,
  foldersTouched,
  instructionNames,
  isInstructions,
} from "../workspace/instructions-places.ts";
import { isInside } from "../workspace/path.ts";
import { readFile } from "./fs-read.ts";
import { instructionFiles, lookAt } from "./instruction-file.ts";
import { addOnDemand, type OnDemand, type RulesAt, takeRules } from "./instruction-rules.ts";
import { instructionWalk, type Taken, type Walk } from "./instruction-walk.ts";
import { repositoryRoot } from "./repository.ts";

/** Where instructions are looked for. `managed`: the file of whoever looks after the machine; null: none. */
export type InstructionPlaces = {
  readonly cwd: string;
  /** The user's home folder; null: the user's own files are not looked at. */
  readonly userHome: string | null;
  /** Where sessions are kept; the user's own AGENTS.md lies there. */
  readonly home: string;
  readonly managed: string | null;
};

/** Looks again at each asking; what has not changed is not read again. */
export function instructionsAt(places: InstructionPlaces): (asked: InstructionsAsked) => Promise<InstructionsFound> {
  const read = instructionFiles();
  let known: Promise<Ground> | null = null;
  return async (asked) => {
    known ??= groundOf(places);
    return await lookAround(await known, asked, read);
  };
}

/** Of Claude Code on this platform. */
export function managedInstructions(): string {
  const mac = "/Library/Application Support/ClaudeCode/CLAUDE.md";
  return process.platform === "darwin" ? mac : "/etc/claude-code/CLAUDE.md";
}

/** What holds as long as the session is open. `root`: of the repository, or the working directory where there is none. */
type Ground = InstructionPlaces & {
  readonly root: string;
  /** Folders of the user's own instructions; `rules`: with those below. Free of links. */
  readonly own: readonly string[];
  readonly rules: readonly string[];
  readonly isExcluded: (path: string, origin: InstructionOrigin) => boolean;
};

async function groundOf(places: InstructionPlaces): Promise<Ground> {
  const cwd = await realOf(places.cwd);
  const root = await repositoryRoot(cwd);
  const userHome = places.userHome === null ? null : await realOf(places.userHome);
  const users = excluding(userHome === null ? [] : await excludesOf([userHome]));
  const projects = excluding(await excludesOf([...new Set([root, cwd])]));
  const home = await realOf(places.home);
  const { managed } = places;
  const claude = userHome === null ? [] : [await realOf(join(userHome, ".claude"))];
  const own = [...claude, home];
  const rules = await Promise.all(claude.map((folder) => realOf(join(folder, "rules"))));
  const isExcluded = (path: string, origin: InstructionOrigin) =>
    origin !== "managed" && (users(path) || (origin !== "user" && projects(path)));
  return { managed, cwd, root, own, rules, userHome, home, isExcluded };
}

/** As it is named where it is not there. */
async function realOf(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}

/** `claudeMdExcludes` of Claude Code's settings, all of them together; those of a project leave out no word of the user's. */
async function excludesOf(folders: readonly string[]): Promise<readonly string[]> {
  const files = folders.flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name)),
  );
  const lists = files.map(async (file) => {
    const found = await lookAt(file);
    if (found.type !== "found" || found.kind !== "file") return [];
    // One that is broken is named where permissions are read; here it excludes nothing.
    const read = await readFile(found.located, bounds.settingsBytesMax);
    const parsed = parseJson(read.type === "read" ? new TextDecoder().decode(read.bytes) : "{}");
    const value = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.claudeMdExcludes : [];
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  });
  return (await Promise.all(lists)).flat();
}

async function lookAround(
  ground: Ground,
  { touched, standing }: InstructionsAsked,
  read: ReturnType<typeof instructionFiles>,
): Promise<InstructionsFound> {
  const { cwd, root, userHome, home, managed, isExcluded } = ground;
  const walk = instructionWalk({ userHome, read, isExcluded, mayRead: mayRead(ground) });
  const use = { touched, standing: new Set(standing) };
  if (managed !== null) await single(walk, managed, "managed");
  if (userHome !== null) await single(walk, join(userHome, ".claude", "CLAUDE.md"), "user");
  await single(walk, join(home, "AGENTS.md"), "user");
  const listed: OnDemand[] = [];
  const rules = async (at: RulesAt) => void listed.push(...(await takeRules(walk, at, use)));
  if (userHome !== null)
    await rules({ folder: join(userHome, ".claude", "rules"), base: root, dialect: "claude", origin: "user" });
  const before = standing.filter((path) => isInstructions(path)).map((path) => join(folderOf(path), "-"));
  const always = foldersDown(root, cwd);
  const nested = foldersTouched(root, [...before, ...touched]).filter((folder) => !always.includes(folder));
  for (const folder of [...always, ...nested]) {
    const because = always.includes(folder) ? null : `for files in ${folder}`;
    await takeFolder(walk, folder, because);
    await rules({ folder: join(folder, ".claude", "rules"), base: folder, dialect: "claude", origin: "project" });
    await rules({ folder: join(folder, ".cursor", "rules"), base: folder, dialect: "cursor", origin: "project" });
  }
  addOnDemand(walk, listed);
  return { files: walk.files, notes: walk.notes() };
}

/** A folder's own files: CLAUDE.md in either place, AGENTS.md where there is none, and what is the user's alone. */
async function takeFolder(walk: Walk, folder: string, because: string | null): Promise<void> {
  const take = (name: string, origin: InstructionOrigin = "project") =>
    walk.take({ path: join(folder, name), kind: "instructions", origin, because, imports: "followed" });
  const taken: Taken[] = [];
  for (const name of instructionNames.claude) taken.push(await take(name));
  if (!taken.includes("taken")) {
    for (const name of instructionNames.agents) if ((await take(name)) === "taken") break;
  } else await nameUnread(walk, folder);
  await take(instructionNames.local, "local");
  if (because === null)
    await walk.take({ path: join(folder, ".cursorrules"), kind: "rule", origin: "project", because, imports: "left" });
}

/** CLAUDE.md is read in the place of AGENTS.md; that it says something else is worth a word. */
async function nameUnread(walk: Walk, folder: string): Promise<void> {
  for (const name of instructionNames.agents) {
    const path = join(folder, name);
    const found = await lookAt(path);
    if (found.type !== "found" || found.kind !== "file") continue;
    const opened = await walk.open(path, "project");
    if (opened.type === "open" && !walk.holds(opened) && opened.file.said().says !== "nothing")
      walk.note(`${path} is not read: ${folder} has a CLAUDE.md, which does not import it`);
    return;
  }
}

async function single(walk: Walk, path: string, origin: InstructionOrigin): Promise<void> {
  await walk.take({ path, kind: "instructions", origin, because: null, imports: "followed" });
}

/**
 * What a project names is followed only within it, and to texts that are instructions of the user's: a stranger's repository
 * must not make a key file part of the prompt, nor what is remembered of other projects, which lies in the same folders.
 * What the user or the machine's owner names is followed anywhere.
 */
function mayRead({ root, own, rules }: Ground): (located: string, origin: InstructionOrigin) => boolean {
  return (located, origin) => {
    if (origin === "managed" || origin === "user" || isInside(root, located)) return true;
    return located.endsWith(".md") && (own.includes(dirname(located)) || rules.some((one) => isInside(one, located)));
  };
}
