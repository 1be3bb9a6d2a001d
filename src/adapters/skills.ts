import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { FindSkills, FoundSkill, Skill, SkillPlace, SkillsFound } from "../ports/skills.ts";
import { decodeText } from "../tools/encoding.ts";
import { bundledSkills } from "../workspace/bundled/skills.ts";
import { isInside, shownPath } from "../workspace/path.ts";
import { rulePaths } from "../workspace/rules-file.ts";
import { parseSkill, type SkillRead } from "../workspace/skill.ts";
import { codeOf } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { stampOf } from "./instruction-file.ts";
import { repositoryRoot } from "./repository.ts";
import { ownFolders, type SkillFolder, type SkillHome, skillFolders } from "./skill-places.ts";

/**
 * Finds the skills of project and user, and our own. Looked at anew each time, but a file that has not changed is not read
 * again. Bounded: files, bytes, folders, time.
 */
export function skillFinder(at: SkillHome): FindSkills {
  const kept = new Map<string, { readonly stamp: string; readonly read: SkillRead }>();
  const read = (place: SkillPlace, located: string) => readSkill(place, located, kept);
  return async (touched) => {
    // Files that were touched are named without links.
    const cwd = await real(at.cwd);
    const root = await repositoryRoot(cwd);
    const own = await Promise.all([...ownFolders(at), ...sharedFolders(at)].map(real));
    const found = collector(touched, at.isApproved);
    const cut = await lookThrough(skillFolders({ ...at, cwd }, root, touched), { own, project: root }, read, found);
    for (const [name, said] of Object.entries(bundledSkills)) {
      const place: SkillPlace = { name, file: `the bundled skill ${name}`, folder: null, scope: "bundled", base: root };
      found.take(
        { type: "read", located: place.file, read: { type: "ok", skill: { ...said, ...place }, notes: [] } },
        "list",
      );
    }
    return found.all(cut);
  };
}

/** Why it was not looked to the end; null: it was. */
async function lookThrough(
  folders: readonly SkillFolder[],
  bases: Bases,
  read: (place: SkillPlace, located: string) => Promise<SkillRead>,
  found: Collector,
): Promise<string | null> {
  const deadline = Date.now() + bounds.skillsMsMax;
  for (const folder of folders) {
    const places = await placesIn(folder, found.note);
    for (let from = 0; from < places.length; from += sideBySide) {
      if (Date.now() > deadline) return "the disk did not answer in time";
      if (found.count() >= bounds.skillsMax) return `there are more than ${bounds.skillsMax}`;
      const some = places.slice(from, from + sideBySide);
      const reads = await Promise.all(some.map((place) => opened(place, bases, read)));
      for (const one of reads) found.take(one, folder.list);
    }
  }
  return null;
}

const sideBySide = 32;

/** Where other programs keep a user's skills, which links of a project may lead to. */
function sharedFolders({ user }: SkillHome): readonly string[] {
  return user === null ? [] : [join(user, ".agents", "skills")];
}

async function real(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}

/** A folder in it is a skill's, by whatever link it is one. Hidden ones are nobody's. */
async function placesIn(at: SkillFolder, note: (line: string) => void): Promise<readonly SkillPlace[]> {
  const { folder, scope, base } = at;
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? ""))
      note(`${folder}: skills cannot be looked for: ${codeOf(error)}`);
    return [];
  });
  const names = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => name);
  return names
    .toSorted()
    .map((name) => ({ name, file: join(folder, name, "SKILL.md"), folder: join(folder, name), scope, base }));
}

type Bases = { readonly project: string; readonly own: readonly string[] };
type Opened =
  | { readonly type: "none" }
  | { readonly type: "note"; readonly line: string }
  | { readonly type: "read"; readonly located: string; readonly read: SkillRead };

/** A project's link may lead within the project or to the user's own skills: what it shows of elsewhere would reach the model. */
async function opened(
  place: SkillPlace,
  { project, own }: Bases,
  read: (place: SkillPlace, located: string) => Promise<SkillRead>,
): Promise<Opened> {
  const found = await locate(place.file);
  if (found.type === "absent") return { type: "none" };
  // A link to a plain file is no skill's folder.
  if (found.type === "unusable" && /is not a folder$/.test(found.why)) return { type: "none" };
  if (found.type === "unusable") return { type: "note", line: `${place.file} cannot be read: ${found.why}` };
  if (found.kind !== "file") return { type: "note", line: `${place.file} is not read: it is a ${found.kind}` };
  const isOwn = [project, ...own].some((base) => isInside(base, found.path));
  if (place.scope === "project" && !isOwn)
    return { type: "note", line: `${place.file} is not read: it leads out of the project, to ${found.path}` };
  const at = { ...place, folder: dirname(found.path) };
  return { type: "read", located: found.path, read: await read(at, found.path) };
}

async function readSkill(
  place: SkillPlace,
  located: string,
  kept: Map<string, { readonly stamp: string; readonly read: SkillRead }>,
): Promise<SkillRead> {
  const stamp = await stampOf(located);
  const before = kept.get(place.file);
  if (stamp !== null && before?.stamp === `${stamp} ${located}`) return before.read;
  const read = await readNow(place, located);
  if (stamp === null) kept.delete(place.file);
  else kept.set(place.file, { stamp: `${stamp} ${located}`, read });
  return read;
}

async function readNow(place: SkillPlace, located: string): Promise<SkillRead> {
  const file = await readFile(located, bounds.skillBytesMax);
  const bad = (why: string): SkillRead => ({ type: "bad", place, why: [`${place.file}: ${why}`] });
  if (file.type === "failed") return bad(`cannot be read: ${file.why}`);
  if (file.more) return bad(`holds more than ${bounds.skillBytesMax} bytes: put the rest into files beside it`);
  const decoded = decodeText(file.bytes);
  if (decoded.type === "binary") return bad(`is no text: ${decoded.why}`);
  return await parseSkill(decoded.text, place);
}

type Collector = {
  note(line: string): void;
  take(one: Opened, list: string): void;
  count(): number;
  all(cut: string | null): SkillsFound;
};

/** Of one name the nearest counts, a broken one too: another must not run in its place. One file by two ways is one skill. */
function collector(touched: readonly string[], isApproved: SkillHome["isApproved"]): Collector {
  const [skills, notes]: [FoundSkill[], Set<string>] = [[], new Set()];
  const broken: { readonly name: string; readonly why: string }[] = [];
  const files = new Set<string>();
  const names = new Map<string, string>();
  return {
    note: (line) => void notes.add(line),
    count: () => names.size,
    all(cut) {
      if (cut !== null) notes.add(`not all skills were looked at: ${cut}; ${names.size} are known`);
      return { type: cut === null ? "all" : "some", skills, broken, notes: [...notes] };
    },
    take(one, list) {
      if (one.type === "note") notes.add(one.line);
      if (one.type !== "read" || files.has(one.located)) return;
      files.add(one.located);
      const { name, file } = one.read.type === "ok" ? one.read.skill : one.read.place;
      const nearer = names.get(name);
      if (nearer === undefined) names.set(name, file);
      else return void notes.add(`skill ${name}: ${nearer} is used, not ${file}`);
      if (one.read.type === "ok") {
        for (const note of one.read.notes) notes.add(note);
        const { skill } = one.read;
        const frees = async () => skill.scope !== "project" || (await isApproved({ path: file, text: skill.text }));
        skills.push({ skill, list: offeredIn(skill, list, touched), frees });
        return;
      }
      const why = one.read.why.join("; ");
      broken.push({ name, why });
      notes.add(`skill ${name} is not run until this is mended: ${why}`);
    },
  };
}

function offeredIn(skill: Skill, list: string, touched: readonly string[]): string | null {
  if (!skill.callers.includes("model")) return null;
  if (skill.paths === null) return list;
  const { matches } = rulePaths(skill.paths);
  const isMet = touched.some((path) => isInside(skill.base, path) && matches(shownPath(skill.base, path)));
  return isMet ? `list of ${skill.name}` : null;
}
