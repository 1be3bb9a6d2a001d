import type { Background } from "../ports/background.ts";
import type { Fs } from "../ports/fs.ts";
import type { Index } from "../ports/index-port.ts";
import type { Memory } from "../ports/memory.ts";
import { noMask } from "../secrets/mask.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { Tool } from "../tools/tool.ts";
import { type Boundary, createBoundary } from "../workspace/boundary.ts";
import { absolutePath } from "../workspace/path.ts";
import { hiding } from "../workspace/permission-rules.ts";
import type { Rule } from "../workspace/rule.ts";
import type { SearchSettings } from "../workspace/settings.ts";
import { shellBackground } from "./background.ts";
import { userHome } from "./environment.ts";
import { nodeFs } from "./fs.ts";
import { type Guarded, shellOptions } from "./guarded.ts";
import { emptyIndex } from "./index-scan.ts";
import { noProject, type ProjectPlace, projectSearch } from "./project-search.ts";
import { findRipgrep } from "./ripgrep.ts";
import { nodeShell } from "./shell.ts";
import { nodeWeb } from "./web.ts";

type Env = Readonly<Record<string, string | undefined>>;

type Workspace = {
  readonly boundary: Boundary;
  readonly tools: readonly Tool[];
  readonly fs: Fs;
  /** What runs beside the turns. */
  readonly background: Background;
};

/** The built-in tools of a workspace, the boundary they keep, and what they leave running. */
export async function workspaceOf(given: {
  readonly cwd: string;
  readonly env: Env;
  readonly outsideAllowed: () => boolean;
  /** Located folders outside that may be read for now. Default: none. */
  readonly lent?: () => readonly string[];
  readonly permissions?: { readonly rules?: readonly Rule[]; readonly directories?: readonly string[] } | undefined;
  readonly web?: { readonly search?: SearchSettings | null; readonly privateHosts?: readonly string[] } | undefined;
  readonly guarded?: Guarded;
  /** What the session archived; left out: nothing. */
  readonly index?: Index;
  /** Whose index `Search` asks; left out: none. */
  readonly project?: ProjectPlace;
  /** null: nothing is remembered beyond the session. */
  readonly memory: Memory | null;
}): Promise<Workspace> {
  const { cwd, env, outsideAllowed, guarded } = given;
  const { rules = [], directories = [] } = given.permissions ?? {};
  const { search = null, privateHosts = [] } = given.web ?? {};
  const fs = nodeFs();
  const shell = nodeShell({ env, ...(guarded === undefined ? {} : shellOptions(guarded)) });
  const background = shellBackground(shell);
  const hidden = (roots: readonly string[]) => hiding(rules, { home: userHome(), roots });
  const guardedFolders = env.VARVE_HOME ? [absolutePath(cwd, env.VARVE_HOME)] : [];
  const roots = [cwd, ...directories];
  const { lent = () => [] } = given;
  const boundary = await createBoundary({ fs, roots, outsideAllowed, lent, hidden, guarded: guardedFolders });
  const parts = { fs, shell, findRipgrep, boundary, mask: guarded?.mask ?? noMask };
  const tools = builtinTools({
    ...parts,
    background,
    index: given.index ?? emptyIndex,
    project: given.project === undefined ? noProject : projectSearch(given.project, parts),
    web: nodeWeb(privateHosts),
    memory: given.memory,
    search: search === null ? null : { endpoint: search.endpoint, key: keyOf(search, env) },
  });
  return { boundary, tools, fs, background };
}

export function keyOf({ keyEnv }: SearchSettings, env: Env): string | null {
  return keyEnv === null ? null : (env[keyEnv] ?? null);
}
