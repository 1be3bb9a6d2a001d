import { projectHere } from "../adapters/project-here.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Fragment, ProjectFound, ProjectIndex, ProjectQuery } from "../ports/project-index.ts";
import { fragmentsUsual, searchSources } from "../tools/search.ts";
import { searchText } from "../tools/search-text.ts";
import { shownPath } from "../workspace/path.ts";
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
  const { root, stores, project: id, cwd } = await viewHome(homeOf(process.env), process.cwd());
  const settings = await permissionsFor(flags, { home: root, cwd });
  const { project, folder, forget } = await projectHere({
    ...settings,
    place: { root, stores, project: id },
    cwd,
    env: process.env,
  });
  if (flags.rebuild === true) await forget();
  const found = await searched(project, query);
  process.stdout.write(flags.json === true ? `${jsonOf(found, query, folder)}\n` : `${textOf(found, query, folder)}\n`);
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
