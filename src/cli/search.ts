import { systemClock } from "../adapters/clock.ts";
import { userHome } from "../adapters/environment.ts";
import { nodeFs } from "../adapters/fs.ts";
import { removeIndexFile } from "../adapters/index-database.ts";
import { projectIndexPath } from "../adapters/project-index-path.ts";
import { projectSearch } from "../adapters/project-search.ts";
import { findRipgrep } from "../adapters/ripgrep.ts";
import { nodeShell } from "../adapters/shell.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Fragment, ProjectFound, ProjectIndex, ProjectQuery } from "../ports/project-index.ts";
import { createMask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { fragmentsUsual, searchSources } from "../tools/search.ts";
import { searchText } from "../tools/search-text.ts";
import { createBoundary } from "../workspace/boundary.ts";
import { shownPath } from "../workspace/path.ts";
import { hiding } from "../workspace/permission-rules.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { viewHome } from "./home.ts";
import { type PermissionFlags, permissionsFor } from "./permissions.ts";
import { homeOf, oneOf, positive } from "./settings.ts";
import { say } from "./terminal.ts";

type Flags = PermissionFlags & {
  readonly in?: string;
  readonly limit?: string;
  readonly json?: boolean;
  readonly rebuild?: boolean;
};

/** `varve search`: what the tool finds, on stdout, for people: never cut. Nothing found is exit code 1, as for grep. */
export async function runSearch(words: readonly string[], flags: Flags): Promise<number> {
  const query = queryOf(words, flags);
  const { project, cwd } = await projectHere(flags);
  const found = await searched(project, query);
  process.stdout.write(flags.json === true ? `${jsonOf(found, query, cwd)}\n` : `${textOf(found, query, cwd)}\n`);
  return found.fragments.length > 0 ? exitCodes.done : exitCodes.failed;
}

function queryOf(given: readonly string[], flags: Flags): ProjectQuery {
  const words = given.join(" ");
  if (words.trim() === "") throw new UsageError("search for what? Name some words, or ask a question");
  if (words.length > bounds.patternCharsMax)
    throw new UsageError(`the query: expected at most ${bounds.patternCharsMax} characters`);
  const limit = positive("--limit", flags.limit) ?? fragmentsUsual;
  if (limit > bounds.fragmentsMax)
    throw new UsageError(`--limit: expected at most ${bounds.fragmentsMax}, got ${limit}`);
  return { words, within: flags.in === undefined ? searchSources : [oneOf("--in", searchSources, flags.in)], limit };
}

/** As a session here would search: with its rules, its folders and its mask. */
async function projectHere(flags: Flags): Promise<{ readonly project: ProjectIndex; readonly cwd: string }> {
  const { root, stores, project, cwd } = await viewHome(homeOf(process.env), process.cwd());
  const { rules, directories, guards } = await permissionsFor(flags, { home: root, cwd });
  const fs = nodeFs();
  const hidden = (roots: readonly string[]) => hiding(rules, { home: userHome(), roots });
  const boundary = await createBoundary({ fs, roots: [cwd, ...directories], outsideAllowed: () => false, hidden });
  const values = secretValues({ ...process.env, ...guards.env.set }, []);
  const mask = createMask({ values, shapes: guards.redact === "on" ? "masked" : "shown" });
  const [folder = cwd] = boundary.roots;
  if (flags.rebuild === true) await removeIndexFile(projectIndexPath(root, project, folder));
  const place = { stores, clock: systemClock, root, project, own: null };
  const shell = nodeShell({ env: process.env });
  return { project: projectSearch(place, { fs, shell, findRipgrep, boundary, mask }), cwd: folder };
}

/** Goes on until all is indexed: a person rather waits than asks again. */
async function searched(project: ProjectIndex, query: ProjectQuery): Promise<ProjectFound> {
  const signal = new AbortController().signal;
  let found = await project.search(query, signal);
  for (let left = Number.POSITIVE_INFINITY; found.left > 0 && found.left < left; ) {
    left = found.left;
    say(`varve: indexing; ${left} files or sessions to go`);
    found = await project.search(query, signal);
  }
  return found;
}

function textOf(found: ProjectFound, { words }: ProjectQuery, cwd: string): string {
  return searchText(found, { words, cwd, tokensMax: null });
}

function jsonOf({ fragments, near, ...rest }: ProjectFound, { words }: ProjectQuery, cwd: string): string {
  const shown = ({ place, ...fragment }: Fragment) => ({
    ...fragment,
    ...(place.type === "file" ? { path: shownPath(cwd, place.path) } : { ...place, isOwn: undefined, type: undefined }),
  });
  return JSON.stringify({ query: words, fragments: fragments.map(shown), near: near.map(shown), ...rest });
}
