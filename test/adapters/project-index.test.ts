import { readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import { createMask } from "../../src/secrets/mask.ts";
import { said } from "../../src/testing/store-proof.ts";
import { answer, callEntries, openProject, projectFolder, removeFolders } from "../support/project-search.ts";

afterAll(removeFolders);

const store = `export type Session = { id: string };\n\n/** Keeps sessions in Redis. */\nexport function openSessionStore(url: string) {\n  return connect(url);\n}\n`;
const guide = "# Guide\nHow to start.\n\n## Retry policy\nA payment is retried five times, then parked.\n";

describe("what is found, and where it stands", () => {
  test("docs by their headings, code by its names and comments, with exact lines", async () => {
    const folder = projectFolder();
    folder.put("docs/guide.md", guide);
    folder.put("src/session-store.ts", store);
    const { find, places } = await openProject(folder);
    expect(await places("how often is a payment retried")).toEqual(["docs/guide.md:4-5"]);
    expect(await places("where are sessions kept in redis")).toEqual(["src/session-store.ts:1-6"]);
    const [hit] = (await find("openSessionStore")).fragments;
    expect(hit).toMatchObject({ source: "code", title: "Session, openSessionStore", startLine: 1, held: 1, lacks: [] });
    expect(hit?.text).toBe(store.trimEnd());
  });

  test("only where the query says", async () => {
    const folder = projectFolder();
    folder.put("a.md", "# quorum\nthe quorum is two\n");
    folder.put("a.ts", "const quorum = 2;\n");
    const { places } = await openProject(folder);
    expect(await places("quorum", { within: ["docs"] })).toEqual(["a.md:1-2"]);
    expect(await places("quorum", { within: ["code"] })).toEqual(["a.ts:1-1"]);
    expect(await places("quorum", { within: ["sessions"] })).toEqual([]);
  });

  test.each([
    ["用户登录", "zh.md"],
    ["失", "zh.md"],
    ["ログイン", "ja.md"],
    ["로그인", "ko.md"],
    ["🚀", "emoji.md"],
    ["getUserByEmail", "id.ts"],
    ["get_user_by_email", "id.ts"],
    ["user email", "id.ts"],
    ["byEma", "id.ts"],
    ["HTTPServer", "id.ts"],
    ["Größe", "de.md"],
    ["groesse größe", "de.md"],
    ["naïve", "de.md"],
  ])("%s is found in every script and inside identifiers", async (words, name) => {
    const folder = projectFolder();
    folder.put("zh.md", "用户登录失败，请重试\n");
    folder.put("ja.md", "ユーザーのログインに失敗しました\n");
    folder.put("ko.md", "사용자 로그인을 확인\n");
    folder.put("emoji.md", "deploy 🚀 done\n");
    folder.put("de.md", "Die Größe ist naïve\n");
    folder.put("id.ts", "export const getUserByEmail = (server: HTTPServer) => 1;\n");
    const { places } = await openProject(folder);
    expect((await places(words))[0]?.split(":")[0]).toBe(name);
  });

  test("none is a good answer: below the floor the nearest are named with what they lack", async () => {
    const folder = projectFolder();
    folder.put("docs/guide.md", guide);
    folder.put("src/session-store.ts", store);
    const { find } = await openProject(folder);
    const none = await find("sourdough bread recipe");
    expect([none.fragments, none.near]).toEqual([[], []]);
    const near = await find("payment gateway kubernetes terraform");
    expect(near.fragments).toEqual([]);
    expect(near.near[0]).toMatchObject({ startLine: 4, lacks: ["gateway", "kubernetes", "terraform"] });
  });

  test("no more than five fragments of one document", async () => {
    const folder = projectFolder();
    folder.put("many.md", Array.from({ length: 9 }, (_, n) => `# Part ${n}\nabout the quorum\n`).join("\n"));
    folder.put("one.md", "# One\nabout the quorum too\n");
    const { places } = await openProject(folder);
    const found = await places("quorum");
    expect(found.filter((place) => place.startsWith("many")).length).toBe(5);
    expect(found).toContain("one.md:1-2");
  });
});

describe("with an embedder", () => {
  const files = { "a.md": "# Felines\nA tabby sleeps all day.\n", "b.md": "# Sleep\nA dog runs all day.\n" } as const;
  const open = async (embed: Embedder["embed"]) => {
    const folder = projectFolder();
    for (const [name, text] of Object.entries(files)) folder.put(name, text);
    return await openProject({ ...folder, embedder: { embed } });
  };
  /** Knows that a cat is a feline, and nothing else. */
  const catlike: Embedder["embed"] = async (texts) => texts.map((text) => (/cat|tabby/i.test(text) ? [1, 0] : [0, 1]));

  test("meaning counts beside the words, and lets through what holds fewer of them", async () => {
    expect((await (await open(catlike)).places("which cat naps, and when in the day"))[0]).toBe("a.md:1-2");
  });

  test("without an answer, or with one of another length, words alone decide", async () => {
    for (const embed of [async () => null, async () => [], async () => [[1], [2, 3]]] as const)
      expect((await (await open(embed)).places("dog runs"))[0]).toBe("b.md:1-2");
  });

  test("law 10 · it is asked of at most bounds.projectEmbeddedMax pieces", async () => {
    const folder = projectFolder();
    for (let n = 0; n < 60; n++)
      folder.put(
        `f${n}.md`,
        Array.from({ length: 10 }, (_, at) => `# Part ${at}\n${at === 0 ? "the quorum" : "other words"} ${n}\n`).join(
          "\n",
        ),
      );
    const asked: number[] = [];
    const embed: Embedder["embed"] = async (texts) => {
      asked.push(texts.length);
      return null;
    };
    await (await openProject({ ...folder, embedder: { embed } })).find("quorum", { within: ["docs"] });
    expect(asked).toEqual([bounds.projectEmbeddedMax + 1]);
  });
});

describe("what a session archived", () => {
  const handle = (n: number) => `aaaaaa00000${n}`;
  test("of this session's old turns, and of others of the project, with session, entry and handle", async () => {
    const folder = projectFolder();
    const { session, find, index } = await openProject({ ...folder, own: brand("own") });
    await session("other", [
      said("we talked about deployment"),
      ...callEntries("c1", {
        tool: "Bash",
        input: { command: "deploy --canary" },
        output: "canary weight 15 percent",
        handle: handle(1),
      }),
    ]);
    await session("strange", [said("canary weight of a stranger")], "p2");
    await session("own", [
      said("remember: the canary weight may be 20 percent"),
      answer("a1", "Noted: canary weight at most 20 percent."),
      said("what was the canary weight?"),
      answer("a2", "I look for the canary weight."),
    ]);
    const { fragments } = await find("canary weight");
    const named = fragments.map(({ place }) =>
      place.type === "session" ? [place.session, place.seq, place.tool, place.isOwn] : [],
    );
    // Entries from the newest message on are the turn at hand: they stand in the window anyway.
    expect(named.toSorted()).toEqual([
      ["other", 4, "Bash", false],
      ["own", 2, "user", true],
      ["own", 3, "assistant", true],
    ]);
    expect(await index.original(handle(1))).toMatchObject({
      text: "canary weight 15 percent",
      title: "deploy --canary",
    });
    expect(await index.original("ffffff000000")).toBe(null);
  });

  test("what Search and recall gave back is no source of its own, and what goes on is found at the next search", async () => {
    const folder = projectFolder();
    const { stores, session, places } = await openProject(folder);
    const search = { tool: "Search", input: { query: "quorum" }, output: "quorum quorum", handle: handle(2) };
    await session("s1", [said("the quorum is two"), ...callEntries("c1", search)]);
    expect(await places("quorum")).toEqual(["s1#2:1-1"]);
    const main = { type: "lane", session: brand<"SessionId">("s1"), lane: brand<"LaneId">("main") } as const;
    const lease = await stores.log.lease(main, "test");
    const fence = lease.type === "leased" ? lease.fence : 2;
    await stores.log.append({ stream: main, expectedSeq: 4, fence, entries: [said("the leader is Ada")] });
    // Time comes from the store: a later entry has a later time.
    expect(await places("leader")).toEqual([]);
  });

  test("the own session is looked at anew each time", async () => {
    const folder = projectFolder();
    const { stores, session, places } = await openProject({ ...folder, own: brand("own") });
    await session("own", [said("the quorum is two"), said("what is the quorum?")]);
    expect(await places("quorum")).toEqual(["own#2:1-1"]);
    const main = { type: "lane", session: brand<"SessionId">("own"), lane: brand<"LaneId">("main") } as const;
    const more = [answer("a1", "The leader is Ada."), said("who is the leader?")];
    await stores.log.append({ stream: main, expectedSeq: 3, fence: 1, entries: more });
    expect(await places("leader")).toEqual(["own#4:1-1"]);
  });

  test("a session that was deleted is found no more; what another said too is found there", async () => {
    const folder = projectFolder();
    const { home } = folder;
    const { session, places, index } = await openProject(folder);
    await session("s1", [said("the quorum is two"), said("the leader is Ada")]);
    await session("s2", [said("the quorum is two")]);
    const [first = ""] = await places("quorum");
    const [gone = ""] = first.split("#");
    rmSync(join(home, "sessions", gone), { recursive: true });
    expect(await places("quorum")).toEqual([`${gone === "s1" ? "s2" : "s1"}#2:1-1`]);
    rmSync(join(home, "sessions"), { recursive: true });
    expect([await places("quorum"), await places("leader")]).toEqual([[], []]);
    expect(await index.original(handleOf(hashOf("the quorum is two")))).toBe(null);
  });

  test("without a project only the own session is known to belong here", async () => {
    const folder = projectFolder();
    const { session, places } = await openProject({ ...folder, project: null, own: brand("own") });
    await session("other", [said("the quorum is two")]);
    await session("own", [said("the quorum is three"), said("next")]);
    expect(await places("quorum")).toEqual(["own#2:1-1"]);
  });
});

describe("what is not indexed", () => {
  test("ignored, generated, binary, huge and hidden files, links; each is counted", async () => {
    const folder = projectFolder();
    folder.put(".gitignore", "build/\n*.tmp\n");
    folder.put("sub/.gitignore", "local.md\n");
    folder.put(".varveignore", "drafts/\n");
    for (const path of [
      "build/a.md",
      "x.tmp",
      "sub/local.md",
      "drafts/a.md",
      "node_modules/m/readme.md",
      ".git/notes.md",
    ])
      folder.put(path, "about the quorum\n");
    folder.put("secrets/key.md", "about the quorum\n");
    folder.put("package-lock.json", "quorum");
    folder.put("picture.png", "quorum");
    folder.put("binary", Uint8Array.from([0, 1, 2, 113, 117]));
    folder.put("data.json", `{"quorum": "${"x".repeat(70_000)}"}`);
    folder.put("seen.md", "about the quorum\n");
    writeFileSync(join(folder.base, "outside.md"), "about the quorum\n");
    symlinkSync(join(folder.base, "outside.md"), join(folder.root, "link.md"));
    const { find, places } = await openProject({ ...folder, denied: ["Read(./secrets/**)"] });
    expect(await places("quorum")).toEqual(["seen.md:1-1"]);
    expect((await find("quorum")).notes).toEqual(["files left out: 1 generated, 1 binary, 1 huge, 1 hidden"]);
  });

  test("what is hidden later leaves the index, also what a session read of it", async () => {
    const folder = projectFolder();
    folder.put("secrets/key.md", "about the quorum\n");
    const before = await openProject(folder);
    const read = {
      tool: "Read",
      input: { path: "secrets/key.md" },
      output: "1\tabout the quorum",
      handle: "aaaaaa000001",
    };
    await before.session("s1", callEntries("c1", read));
    expect((await before.places("quorum")).length).toBe(2);
    const { places, path } = await openProject({ ...folder, denied: ["Read(./secrets/**)"] });
    expect(await places("quorum")).toEqual([]);
    expect(readFileSync(path).includes("secrets/key.md\0")).toBe(false);
  });

  test("what a command was filled with is hidden as what was read", async () => {
    const folder = projectFolder();
    folder.put("secrets/key.md", "nothing\n");
    const filled = (what: string | null, run: string, output: string) => {
      const handle = handleOf(hashOf(output));
      const of = what === null ? {} : { tool: "Read", what };
      return { type: "placeholder-ended", run, ending: "done", exitCode: null, output, handle, ...of } as const;
    };
    const before = await openProject(folder);
    await before.session("s1", [
      filled("secrets/key.md", "p1", "1\tthe quorum is secret"),
      filled("open.md", "p2", "1\tthe quorum is open"),
      filled(null, "p3", "the quorum of a shell line"),
    ]);
    expect(await before.places("quorum")).toHaveLength(3);
    const { find } = await openProject({ ...folder, denied: ["Read(./secrets/**)"] });
    const texts = (await find("quorum")).fragments.map(({ text }) => text);
    expect(texts.toSorted()).toEqual(["1\tthe quorum is open", "the quorum of a shell line"]);
  });

  test("a secret is neither in the index nor in what is found", async () => {
    const folder = projectFolder();
    const secret = "hunter2hunter2";
    folder.put("config.md", `the quorum password is ${secret}\n`);
    const mask = createMask({ values: [{ name: "DB_PASSWORD", value: secret }], shapes: "masked" });
    const { find, path } = await openProject({ ...folder, mask });
    const { fragments } = await find("quorum password");
    expect(fragments[0]?.text).toBe("the quorum password is [secret: DB_PASSWORD]");
    expect((await find(secret)).fragments).toEqual([]);
    for (const file of [path, `${path}-wal`]) expect(readIfThere(file)).not.toContain(secret);
  });
});

describe("it is brought up to date at each search", () => {
  test("only what changed is read for it; what is gone leaves; what was only touched is not cut anew", async () => {
    const folder = projectFolder();
    for (const n of [1, 2, 3]) folder.put(`f${n}.md`, `the quorum of file${n}\n`);
    const { find, places, reads } = await openProject(folder);
    await find("zebra");
    expect(reads.toSorted()).toEqual(["f1.md", "f2.md", "f3.md"]);
    reads.length = 0;
    folder.put("f2.md", "the majority of file2\n");
    utimesSync(join(folder.root, "f3.md"), 1, 1);
    rmSync(join(folder.root, "f1.md"));
    expect(await places("majority")).toEqual(["f2.md:1-1"]);
    expect(reads).toEqual(["f2.md", "f3.md", "f2.md"]);
    expect(await places("file1")).toEqual([]);
    expect(await places("file3")).toEqual(["f3.md:1-1"]);
  });

  test("until its time is over: what is left is said, the next search goes on, and what people wrote comes first", async () => {
    const folder = projectFolder();
    for (let n = 0; n < 200; n++) folder.put(`src/f${n}.ts`, `const name${n} = "quorum";\n`);
    folder.put("docs/decisions.md", "# Quorum\nThe quorum is two.\n");
    let now = 0;
    const clock = { now: () => (now += 100), sleep: async () => {} };
    const { find } = await openProject({ ...folder, clock });
    const first = await find("quorum");
    expect(first.left).toBeGreaterThan(100);
    expect(first.notes[0]).toMatch(
      new RegExp(
        `^not indexed yet: \\d+ files; each search indexes for up to ${bounds.projectLookMsMax / 1_000} s, so search again$`,
      ),
    );
    expect(first.fragments.some(({ place }) => place.type === "file" && place.path.endsWith("decisions.md"))).toBe(
      true,
    );
    let left = first.left;
    for (let n = 0; left > 0 && n < 20; n++) left = (await find("quorum")).left;
    expect((await find("name199")).fragments.length).toBe(1);
  });

  test("an interrupted search says so", async () => {
    const folder = projectFolder();
    folder.put("a.md", "the quorum\n");
    const { find } = await openProject(folder);
    expect((await find("quorum", {}, AbortSignal.abort())).notes).toContain("interrupted");
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
