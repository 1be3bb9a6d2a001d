import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openIndex } from "../../src/adapters/index-database.ts";
import { type Change, projectDatabase, projectTables } from "../../src/adapters/project-database.ts";
import { projectSessions } from "../../src/adapters/project-sessions.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { laneOf } from "../../src/testing/store-proof.ts";
import { callEntries, openProject, projectFolder, removeFolders } from "../support/project-search.ts";

afterAll(removeFolders);

function put(n: number, text: string): Change {
  const stored = {
    name: `/w/f${n}.md`,
    kind: "docs",
    root: "/w",
    stamp: "",
    hash: "",
    title: `f${n}.md`,
    detail: "",
  } as const;
  return { type: "put", stored, pieces: [{ startLine: 1, endLine: 1, title: "", text }] };
}

describe("law 10", () => {
  test("the index names at most bounds.projectCandidatesMax pieces of one source", () => {
    const file = new DatabaseSync(":memory:");
    file.exec(projectTables().tables);
    const database = projectDatabase(file);
    database.write(Array.from({ length: bounds.projectCandidatesMax + 20 }, (_, n) => put(n, "the quorum")));
    const asked = { kind: "docs", root: "/w", terms: ["quorum"], parts: [] } as const;
    expect(database.holding(asked)).toHaveLength(bounds.projectCandidatesMax);
    expect(database.holding({ ...asked, root: "/other" })).toEqual([]);
    file.close();
  });

  test("the pieces of at most bounds.projectDocumentsMax documents are compared", async () => {
    const folder = projectFolder();
    for (let n = 0; n < bounds.projectDocumentsMax + 20; n++) folder.put(`f${n}.md`, "the quorum\n");
    const asked: number[] = [];
    const embed = async (texts: readonly string[]) => {
      asked.push(texts.length);
      return null;
    };
    await (await openProject({ ...folder, embedder: { embed } })).find("quorum", { within: ["docs"] });
    expect(asked).toEqual([bounds.projectDocumentsMax + 1]);
  });

  test("a file of bounds.projectPagesMax pages is full: what is in it stays, and is searched", async () => {
    expect(projectTables().pagesMax).toBe(bounds.projectPagesMax);
    const { base } = projectFolder();
    const file = await openIndex(join(base, "small.sqlite"), { ...projectTables(), pagesMax: 60, check: "whole" });
    if (file === null) throw new Error("no index");
    const database = projectDatabase(file);
    expect(database.write([put(0, "the quorum")])).toBe(true);
    const large = Array.from({ length: 20_000 }, (_, at) => `word${at}x`).join(" ");
    expect(database.write([put(1, large)])).toBe(false);
    expect([database.pieces(), database.piecesWith("quorum")]).toEqual([1, 1]);
    file.close();
  });

  test("the newest bounds.projectSessionsMax sessions are looked at", async () => {
    const limits: number[] = [];
    const { log, blobs } = memoryStore(manualClock());
    const counting: LogStore = {
      ...log,
      list: async (call) => {
        limits.push(call.limit);
        return [];
      },
    };
    const given = { stores: { log: counting, blobs }, project: brand<"ProjectId">("p1"), own: null };
    await projectSessions(given).list();
    expect(limits).toEqual([bounds.projectSessionsMax]);
  });

  test("of an original its first bounds.projectOriginalCharsMax characters are searched, and all of it recalled", async () => {
    const folder = projectFolder();
    const { session, stores, places, index } = await openProject(folder);
    const text = `the quorum\n${"filler\n".repeat(bounds.projectOriginalCharsMax / 7)}the majority\n`;
    const blob = await stores.blobs.put(laneOf("s1"), text);
    const call = {
      tool: "Bash",
      input: { command: "run" },
      output: { blob, chars: text.length },
      handle: "aaaaaa000001",
    };
    await session("s1", callEntries("c1", call));
    expect(await places("quorum")).toEqual([expect.stringMatching(/^s1#3:1-/)]);
    expect(await places("majority")).toEqual([]);
    expect((await index.original("aaaaaa000001"))?.text).toBe(text);
  });

  test("without an index at most bounds.projectScanCharsMax characters are read, and that is said", async () => {
    const folder = projectFolder();
    const { session, find } = await openProject({ ...folder, keep: false });
    const gone = { blob: brand<"Hash">("0".repeat(64)), chars: bounds.projectScanCharsMax + 1 };
    const call = { tool: "Bash", input: { command: "run" } };
    await session("s1", [
      ...callEntries("c1", { ...call, output: gone, handle: "aaaaaa000001" }),
      ...callEntries("c2", { ...call, output: "the quorum", handle: "aaaaaa000002" }),
    ]);
    const { fragments, notes } = await find("quorum");
    expect([fragments, notes[1]]).toEqual([[], "without an index not everything could be read: narrow with in"]);
  });
});
