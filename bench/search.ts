import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { nodeFs } from "../src/adapters/fs.ts";
import { projectFiles } from "../src/adapters/project-files.ts";
import { projectIndexPath } from "../src/adapters/project-index-path.ts";
import { projectSearch } from "../src/adapters/project-search.ts";
import { findRipgrep } from "../src/adapters/ripgrep.ts";
import { nodeShell } from "../src/adapters/shell.ts";
import { memoryStore } from "../src/adapters/store-memory.ts";
import { wordsOf } from "../src/memory/retrieval-terms.ts";
import { noMask } from "../src/secrets/mask.ts";
import { createBoundary } from "../src/workspace/boundary.ts";
import { percentile } from "./timing.ts";

type Figures = {
  readonly files: number;
  readonly pieces: number;
  readonly indexBytes: number;
  /** From nothing to everything, in as many looks as that took. */
  readonly indexMs: number;
  readonly looks: number;
  /** A look that finds nothing new, and a query. */
  readonly queryMs: { readonly p50: number; readonly p95: number };
};

/** What the index of a project costs: `npm run bench -- search [--cwd DIR] [--json]`. Queries are the words of file names. */
export async function runSearchBench(args: readonly string[]): Promise<Figures | string> {
  const at = args.indexOf("--cwd");
  const cwd = resolve(at < 0 ? "." : (args[at + 1] ?? "."));
  const home = mkdtempSync(join(tmpdir(), "varve-bench-search-"));
  try {
    const figures = await measured(cwd, home);
    return args.includes("--json") ? figures : tableOf(figures);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measured(cwd: string, home: string): Promise<Figures> {
  const fs = nodeFs();
  const shell = nodeShell({ env: process.env });
  const boundary = await createBoundary({ fs, roots: [cwd], outsideAllowed: () => false });
  const workspace = { fs, shell, findRipgrep, boundary, mask: noMask };
  const stores = memoryStore(systemClock);
  const index = projectSearch({ stores, clock: systemClock, root: home, project: null, own: null }, workspace);
  const signal = new AbortController().signal;
  const ask = (words: string) => index.search({ words, within: ["docs", "code", "sessions"], limit: 6 }, signal);
  const start = performance.now();
  let [looks, found] = [1, await ask("zebra")];
  for (; found.left > 0; looks++) found = await ask("zebra");
  const indexMs = Math.round(performance.now() - start);
  const times: number[] = [];
  for (const words of await queriesOf(cwd, workspace)) {
    const from = performance.now();
    await ask(words);
    times.push(performance.now() - from);
  }
  const { files, pieces } = found.searched;
  const indexBytes = statSync(projectIndexPath(home, null, boundary.roots[0] ?? cwd)).size;
  const queryMs = { p50: Math.round(percentile(times, 0.5)), p95: Math.round(percentile(times, 0.95)) };
  return { files, pieces, indexBytes, indexMs, looks, queryMs };
}

const queriesMax = 50;

async function queriesOf(cwd: string, { fs, mask, ...search }: Parameters<typeof projectSearch>[1]) {
  const { files } = await projectFiles({ fs, mask, search }).list(cwd, new AbortController().signal);
  const step = Math.max(1, Math.floor(files.length / queriesMax));
  const some = files.filter((_, at) => at % step === 0).slice(0, queriesMax);
  return some.map(({ below }) =>
    wordsOf(basename(below))
      .flatMap(({ parts }) => parts)
      .join(" "),
  );
}

function tableOf({ files, pieces, indexBytes, indexMs, looks, queryMs }: Figures): string {
  const megabytes = (indexBytes / 1024 / 1024).toFixed(1);
  return [
    "| files | pieces | index | first index | looks | query p50 | query p95 |",
    "|---|---|---|---|---|---|---|",
    `| ${files} | ${pieces} | ${megabytes} MB | ${indexMs} ms | ${looks} | ${queryMs.p50} ms | ${queryMs.p95} ms |`,
  ].join("\n");
}
