import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { shellBackground } from "../../src/adapters/background.ts";
import { nodeFs } from "../../src/adapters/fs.ts";
import { nodeHttp } from "../../src/adapters/http.ts";
import { memoryTools } from "../../src/adapters/memory-tools.ts";
import { projectSearch } from "../../src/adapters/project-search.ts";
import { readablePage } from "../../src/adapters/readable.ts";
import { findRipgrep } from "../../src/adapters/ripgrep.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { EndedTask } from "../../src/log/state.ts";
import { noMask } from "../../src/secrets/mask.ts";
import { manualClock } from "../../src/testing/index.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import type { ToolContext, ToolOutcome } from "../../src/tools/tool.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { indexOfTexts } from "../support/index-of-texts.ts";

/** Real files and processes in a folder of their own; what was read or written is remembered as the agent would. */
export async function createWorld() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "varve-tools-")));
  const root = join(base, "app");
  mkdirSync(root);
  const fs = nodeFs();
  const shell = nodeShell({ env: { PATH: process.env.PATH, HOME: base, PROVIDER_KEY: "TESTKEY-9" }, graceMs: 300 });
  const boundary = await createBoundary({ fs, roots: [root], outsideAllowed: () => false });
  const background = shellBackground(shell);
  const web = { http: nodeHttp(), readable: readablePage, privateHosts: [] };
  const memory = memoryTools({
    home: { home: join(base, "home"), project: brand("testproject"), cwd: root, user: null },
    mask: noMask,
    mode: "review",
  });
  const originals = new Map<string, string>();
  const index = indexOfTexts(originals);
  const project = projectSearch(
    { stores: memoryStore(manualClock()), clock: manualClock(), root: join(base, "home"), project: null, own: null },
    { fs, shell, findRipgrep, boundary, mask: noMask },
  );
  const tools = builtinTools({
    fs,
    shell,
    background,
    boundary,
    findRipgrep,
    index,
    project,
    web,
    search: null,
    memory,
  });
  const seen = new Map<string, string>();
  const tasksEnded: Record<string, EndedTask> = {};
  let started = 0;
  let progress = "";
  const context: ToolContext = {
    cwd: root,
    seen: (path) => seen.get(path) ?? null,
    original: async () => null,
    mode: () => "default",
    modeBefore: () => "default",
    tasksStarted: () => started,
    tasksEnded: () => tasksEnded,
    onProgress: (text) => {
      progress += text;
    },
  };
  const run = async (name: string, input: unknown, signal = new AbortController().signal): Promise<ToolOutcome> => {
    const parsed = tools.find((tool) => tool.declaration.name === name)?.parse(input);
    if (parsed?.type !== "ok") throw new Error(parsed?.why ?? `no tool ${name}`);
    const outcome = await parsed.call.run(context, signal);
    for (const touch of outcome.files) seen.set(touch.path, touch.hash);
    started += outcome.notes?.filter(({ type }) => type === "background").length ?? 0;
    return outcome;
  };
  const file = (path: string) => join(root, path);
  return {
    base,
    root,
    tools,
    boundary,
    shell,
    background,
    tasksEnded,
    context,
    originals,
    seen,
    run,
    file,
    text: async (name: string, input: unknown) => (await run(name, input)).output,
    put: (path: string, content: string | Uint8Array) => {
      mkdirSync(dirname(file(path)), { recursive: true });
      writeFileSync(file(path), content);
    },
    get: (path: string) => readFileSync(file(path)),
    progress: () => progress,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
