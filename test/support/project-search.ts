import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeFs } from "../../src/adapters/fs.ts";
import { projectIndexPath } from "../../src/adapters/project-index-path.ts";
import { projectSearch } from "../../src/adapters/project-search.ts";
import { findRipgrep } from "../../src/adapters/ripgrep.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, type ProjectId, type SessionId } from "../../src/kernel/ids.ts";
import type { Text } from "../../src/log/block.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Fs } from "../../src/ports/fs.ts";
import type { Fragment, ProjectQuery } from "../../src/ports/project-index.ts";
import type { Clock } from "../../src/ports/world.ts";
import { type Mask, noMask } from "../../src/secrets/mask.ts";
import { manualClock } from "../../src/testing/index.ts";
import { laneOf, started, write } from "../../src/testing/store-proof.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { hiding } from "../../src/workspace/permission-rules.ts";
import { parseRule } from "../../src/workspace/rule.ts";

const folders: string[] = [];
export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A project on the disk and a home beside it. */
export function projectFolder() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "varve-project-")));
  folders.push(base);
  const [root, home] = [join(base, "app"), join(base, "home")];
  mkdirSync(root);
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  return { base, root, home, put };
}

export type Opened = {
  readonly root: string;
  readonly home: string;
  readonly keep?: boolean;
  readonly project?: ProjectId | null;
  readonly own?: SessionId;
  /** Rules that refuse to read. */
  readonly denied?: readonly string[];
  readonly mask?: Mask;
  readonly clock?: Clock;
  readonly embedder?: Embedder;
};

/** Its index as a session would have it; `reads` are the files that were read, in order. */
export async function openProject(given: Opened) {
  const { root, home, keep = true, project = brand<"ProjectId">("p1"), own = null, mask = noMask } = given;
  const { denied = [], clock = { now: () => 0, sleep: async () => {} } } = given;
  const stores = fileStore({ root: home, clock: manualClock(), sync: false });
  const reads: string[] = [];
  const real = nodeFs();
  const fs: Fs = {
    ...real,
    read: async (path, max) => {
      reads.push(path.slice(root.length + 1));
      return await real.read(path, max);
    },
  };
  const rules = denied.map((text) => {
    const parsed = parseRule(text, { kind: "deny", file: "test", scope: "user" });
    if (parsed.type === "bad") throw new Error(parsed.why);
    return parsed.rule;
  });
  const hidden = (roots: readonly string[]) => hiding(rules, { home, roots });
  const boundary = await createBoundary({ fs, roots: [root], outsideAllowed: () => false, hidden });
  const shell = nodeShell({ env: { PATH: process.env.PATH } });
  const index = projectSearch(
    { stores, clock, root: keep ? home : null, project, own, ...(given.embedder && { embedder: given.embedder }) },
    { fs, shell, findRipgrep, boundary, mask },
  );
  const find = async (words: string, more: Partial<ProjectQuery> = {}, signal = new AbortController().signal) =>
    await index.search({ words, within: ["docs", "code", "sessions"], limit: 10, ...more }, signal);
  return {
    index,
    stores,
    reads,
    find,
    /** Places of what was found, as people read them. */
    places: async (words: string, more: Partial<ProjectQuery> = {}) =>
      (await find(words, more)).fragments.map((fragment) => placeOf(fragment, root)),
    path: projectIndexPath(home, project, root),
    session: async (id: string, entries: readonly EntryBody[], owner = "p1") =>
      await write(stores.log, laneOf(id), [started(id, owner), ...entries]),
  };
}

export function placeOf({ place, startLine, endLine }: Fragment, root: string): string {
  const where = place.type === "file" ? place.path.slice(root.length + 1) : `${place.session}#${place.seq}`;
  return `${where}:${startLine}-${endLine}`;
}

/** A call and what it gave back. */
export function callEntries(
  id: string,
  call: { tool: string; input: object; output: Text; handle: string },
): readonly EntryBody[] {
  const { tool, input, output, handle } = call;
  const callId = brand<"CallId">(id);
  const blocks = [{ type: "tool-call", callId, tool, input: JSON.stringify(input) }] as const;
  const answer = {
    wire: "anthropic",
    model: "m",
    stop: "tool-use",
    usage: null,
    firstTokenMs: null,
    report: null,
  } as const;
  return [
    { type: "response-received", request: brand(`r-${id}`), messageId: `m-${id}`, blocks, ...answer },
    {
      type: "tool-returned",
      callId,
      tool,
      ending: "done",
      output,
      handle: brand(handle),
      exitCode: 0,
      files: [],
      images: [],
    },
  ];
}

export function answer(id: string, text: string): EntryBody {
  const blocks = [{ type: "text", text }] as const;
  const rest = {
    wire: "anthropic",
    model: "m",
    stop: "end-turn",
    usage: null,
    firstTokenMs: null,
    report: null,
  } as const;
  return { type: "response-received", request: brand(`r-${id}`), messageId: `m-${id}`, blocks, ...rest };
}
