import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryLook } from "../../src/adapters/memories.ts";
import { acceptMemory, proposeMemory, refuseMemory, waitingIn } from "../../src/adapters/memory-inbox.ts";
import { memoryPlaces, projectMemory, userMemory } from "../../src/adapters/memory-places.ts";
import { memoryReader } from "../../src/adapters/memory-read.ts";
import { memoryTools } from "../../src/adapters/memory-tools.ts";
import { removeMemory, writeMemory } from "../../src/adapters/memory-write.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import { noteOf } from "../../src/memory/memory-file.ts";
import { createMask, noMask } from "../../src/secrets/mask.ts";

let base = "";
const project = brand<"ProjectId">("aprojectofmine");
const home = () => ({ home: join(base, "home"), project, cwd: join(base, "work"), user: join(base, "user") });
const ours = () => ({ scope: "project" as const, folder: projectMemory(home().home, project) });
const put = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const topic = (name: string, text: string | Buffer) => put(join(ours().folder, name), text);
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "varve-memory-"));
  mkdirSync(join(base, "work"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const lookAt = async () => await memoryReader()([ours()]);
const files = async () => (await lookAt()).folders.flatMap((folder) => folder.files.map(({ file }) => file));

describe("reading a memory folder", () => {
  test("none is there: nothing, without a word", async () => {
    expect(await lookAt()).toEqual({ folders: [], notes: [] });
    const told = await memoryLook(home())({ message: "how do we deploy?", touched: [], held: [] });
    expect(told).toEqual({ attachments: [], covers: ["memory-index"], notes: [] });
  });

  test("what is no text, no file or a link is left out and named; the rest is read", async () => {
    topic("good.md", "A good note.");
    topic("表.md", "一个笔记");
    topic("🎉.md", "party");
    topic("empty.md", "");
    topic("binary.md", Buffer.from([0, 1, 2, 255]));
    topic("notes.txt", "not a memory");
    topic(".hidden.md", "x");
    mkdirSync(join(ours().folder, "folder.md"));
    put(join(base, "secret.md"), "outside");
    symlinkSync(join(base, "secret.md"), join(ours().folder, "link.md"));
    symlinkSync("loop.md", join(ours().folder, "loop.md"));
    mkdirSync(join(ours().folder, "MEMORY.md"));
    expect(await files()).toEqual(["good.md", "表.md", "🎉.md"]);
    const { notes } = await lookAt();
    for (const name of ["binary.md", "folder.md", "link.md", "loop.md", "MEMORY.md"])
      expect(notes.filter((note) => note.includes(`/${name} `))).toHaveLength(1);
    expect(notes).toHaveLength(5);
  });

  test("a large one by its beginning, in whole lines; an index that is large too", async () => {
    topic("big.md", `${"多字节的一行\n".repeat(20_000)}`);
    topic("line.md", "x".repeat(200_000));
    topic("MEMORY.md", "- line\n".repeat(50_000));
    const { folders, notes } = await lookAt();
    const [big, line] = folders[0]?.files ?? [];
    expect(big).toMatchObject({ file: "big.md", isCut: true, description: "多字节的一行" });
    expect(big?.body.endsWith("多字节的一行")).toBe(true);
    expect(line?.body.length).toBe(bounds.memoryBytesMax);
    expect(notes.filter((note) => note.includes("its beginning is read"))).toHaveLength(2);
  });

  test("a folder that cannot be read, or is a file, is named and stops nothing", async () => {
    put(ours().folder, "a file");
    expect((await lookAt()).notes).toEqual([`${ours().folder} cannot be read: it is no folder`]);
    rmSync(ours().folder);
    topic("note.md", "x");
    chmodSync(join(ours().folder, "note.md"), 0);
    if (process.getuid?.() !== 0) expect((await lookAt()).notes).toHaveLength(1);
  });

  test("of too many the newest are looked at, and that is said; a second look reads only what changed", async () => {
    for (let at = 0; at < 1_500; at += 1) topic(`note-${at}.md`, `Note ${at}.`);
    const old = new Date(Date.now() - 86_400_000);
    for (let at = 0; at < 1_500; at += 1) if (at >= 500) utimesSync(join(ours().folder, `note-${at}.md`), old, old);
    const read = memoryReader();
    const first = await read([ours()]);
    expect(first.folders[0]?.files).toHaveLength(bounds.memoryFilesMax);
    expect(first.folders[0]?.files.filter(({ file }) => Number(/\d+/.exec(file)?.[0]) < 500)).toHaveLength(500);
    expect(first.notes).toEqual([expect.stringContaining("holds more than 1000 memories")]);
    const again = await read([ours()]);
    const kept = again.folders[0]?.files.filter((memory) => first.folders[0]?.files.includes(memory)) ?? [];
    expect(kept.length).toBeGreaterThanOrEqual(500);
  });

  test("Claude Code's own folder of this repository is read as well, and never written", async () => {
    mkdirSync(join(base, "work/.git"), { recursive: true });
    const inside = join(base, "work", "packages", "a");
    mkdirSync(inside, { recursive: true });
    const slug = join(base, "work").replaceAll(/[^a-zA-Z0-9]/g, "-");
    put(join(base, "user/.claude/projects", slug, "memory/MEMORY.md"), "- [Ports](ports.md)\n");
    const places = await memoryPlaces({ ...home(), cwd: inside });
    expect(places.map(({ scope }) => scope)).toEqual(["project", "user", "claude"]);
    expect((await memoryReader()(places)).folders).toMatchObject([{ scope: "claude", index: "- [Ports](ports.md)\n" }]);
    expect((await memoryPlaces({ ...home(), project: null, user: null })).map(({ scope }) => scope)).toEqual(["user"]);
  });
});

describe("writing", () => {
  const note = { text: "Deploys go through the canary.", topic: "Deploy process", type: "project" as const };

  test("a new topic is a file and a line of the index; the same words are kept once; more of a topic joins it", async () => {
    expect(await writeMemory(ours(), note)).toMatchObject({
      type: "written",
      name: "project/deploy-process",
      isNew: true,
    });
    expect(await writeMemory(ours(), note)).toMatchObject({ isNew: false });
    expect(await writeMemory(ours(), { ...note, text: "Never on Fridays." })).toMatchObject({ isNew: true });
    const text = readFileSync(join(ours().folder, "deploy-process.md"), "utf8");
    expect(text).toContain("type: project");
    expect(text.endsWith("Deploys go through the canary.\n\nNever on Fridays.\n")).toBe(true);
    const index = readFileSync(join(ours().folder, "MEMORY.md"), "utf8");
    expect(index).toBe("# Memory\n\n- [Deploy process](deploy-process.md): Deploys go through the canary.\n");
    expect(statSync(ours().folder).mode & 0o777).toBe(0o700);
    expect(await removeMemory(ours(), "deploy-process.md")).toMatchObject({ type: "written" });
    expect(readFileSync(join(ours().folder, "MEMORY.md"), "utf8")).toBe("# Memory\n\n");
    expect(await files()).toEqual([]);
  });

  test("what stands in the way is refused by name and left as it is", async () => {
    mkdirSync(join(ours().folder, "deploy-process.md"), { recursive: true });
    expect(await writeMemory(ours(), note)).toMatchObject({
      type: "refused",
      why: expect.stringContaining("deploy-process.md"),
    });
    rmSync(join(ours().folder, "deploy-process.md"), { recursive: true });
    put(join(base, "outside.md"), "outside");
    symlinkSync(join(base, "outside.md"), join(ours().folder, "deploy-process.md"));
    expect(await writeMemory(ours(), note)).toMatchObject({ type: "refused", why: expect.stringContaining("a link") });
    expect(readFileSync(join(base, "outside.md"), "utf8")).toBe("outside");
    rmSync(join(ours().folder, "deploy-process.md"));
    topic("deploy-process.md", `${"x".repeat(bounds.memoryBytesMax - 10)}\n`);
    expect(await writeMemory(ours(), note)).toMatchObject({ type: "refused", why: expect.stringContaining("no room") });
    mkdirSync(join(ours().folder, "MEMORY.md"));
    expect(await writeMemory(ours(), { ...note, topic: "other" })).toMatchObject({ type: "written" });
    put(join(base, "home/memory"), "a file");
    const user = { scope: "user" as const, folder: userMemory(home().home) };
    expect(await writeMemory(user, note)).toMatchObject({ type: "refused" });
  });

  test("a full folder takes no new topic", async () => {
    for (let at = 0; at < bounds.memoryFilesMax; at += 1) topic(`n${at}.md`, "x");
    expect(await writeMemory(ours(), note)).toMatchObject({ type: "refused", why: expect.stringContaining("1000") });
    expect(await writeMemory(ours(), { ...note, topic: "n7" })).toMatchObject({ type: "written" });
  });

  test("writers side by side lose nothing, and one that is killed leaves whole files", async () => {
    const texts = Array.from({ length: 12 }, (_, at) => `Rule number ${at} holds.`);
    const written = texts.map((text) => writeMemory(ours(), { text, topic: "rules", type: null }));
    for (const one of await Promise.all(written)) expect(one.type).toBe("written");
    const script = `
      import { writeMemory } from ${JSON.stringify(join(import.meta.dirname, "../../src/adapters/memory-write.ts"))};
      console.log("begun");
      for (let at = 0; ; at += 1)
        await writeMemory({ scope: "project", folder: process.argv[1] }, { text: "Killed " + at + ".", topic: "killed", type: null });
    `;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script, ours().folder], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    while (!existsSync(join(ours().folder, "killed.md"))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    const all = readFileSync(join(ours().folder, "rules.md"), "utf8");
    for (const text of texts) expect(all).toContain(text);
    const killed = readFileSync(join(ours().folder, "killed.md"), "utf8");
    expect(killed.endsWith(".\n")).toBe(true);
    // The lock of the dead is taken over at once.
    expect(await writeMemory(ours(), { text: "After.", topic: "killed", type: null })).toMatchObject({
      type: "written",
    });
    expect(await files()).toEqual(["killed.md", "rules.md"]);
  });
});

describe("the inbox", () => {
  const propose = async (text: string, about: string | null = null) => {
    const note = noteOf(text);
    if (note.type === "bad") throw new Error(note.why);
    return await proposeMemory(ours(), { id: note.id, text: note.text, topic: about });
  };

  test("what waits is no memory; accepted it is one, refused it is not proposed again", async () => {
    const [one, two] = [await propose("Use tabs.", "Style: tabs"), await propose("Never push to main.")];
    expect(one).toMatchObject({ type: "written", isNew: true });
    expect(await propose("use  tabs.")).toMatchObject({ type: "written", isNew: false });
    expect(await files()).toEqual([]);
    const waiting = await waitingIn([ours()]);
    expect(waiting.map(({ text }) => text).toSorted()).toEqual(["Never push to main.", "Use tabs."]);
    const tabs = waiting.find(({ text }) => text === "Use tabs.");
    const push = waiting.find(({ text }) => text === "Never push to main.");
    if (tabs === undefined || push === undefined) throw new Error("both wait");
    expect(tabs.topic).toBe("Style: tabs");
    expect(await acceptMemory(tabs, tabs.text)).toMatchObject({ name: "project/style-tabs" });
    expect(await refuseMemory(push)).toMatchObject({ type: "written" });
    expect(await waitingIn([ours()])).toEqual([]);
    expect(await propose("never push to main.")).toMatchObject({ type: "refused" });
    // A crash between the two steps: it is accepted again, and stands there once.
    await propose("Use tabs.", "Style: tabs");
    const [again] = await waitingIn([ours()]);
    if (again === undefined) throw new Error("it waits");
    expect(await acceptMemory(again, again.text)).toMatchObject({ isNew: false });
    expect(two.type).toBe("written");
  });

  test("it has room for so many, and remembers so many refusals", async () => {
    for (let at = 0; at < bounds.memoryInboxMax; at += 1) await propose(`Rule ${at}.`);
    expect(await propose("One more.")).toMatchObject({ type: "refused", why: expect.stringContaining("50") });
    for (let at = 0; at < bounds.memoryRefusedMax; at += 1)
      put(join(ours().folder, "inbox/refused", `m${String(at).padStart(9, "0")}.md`), "x");
    const [first] = await waitingIn([ours()]);
    if (first !== undefined) await refuseMemory(first);
    expect(readdirSync(join(ours().folder, "inbox/refused"))).toHaveLength(bounds.memoryRefusedMax);
  });
});

describe("as the model's tools use it", () => {
  const tools = (mode: "review" | "keep" = "review") =>
    memoryTools({
      home: home(),
      mask: createMask({ values: [{ name: "MY_KEY", value: "s3cr3t-value-of-mine" }], shapes: "shown" }),
      mode,
    });

  test("a note waits for the user, or is kept at once where the user said so", async () => {
    const waiting = await tools().keep({ text: "Use tabs.", topic: null, scope: "user" });
    expect(waiting).toMatchObject({ type: "waiting", id: expect.stringMatching(/^m[0-9a-f]{9}$/) });
    expect(existsSync(join(base, "home/memory/inbox"))).toBe(true);
    expect(await tools("keep").keep({ text: "Use tabs.", topic: "style", scope: "project" })).toEqual({
      type: "kept",
      name: "project/style",
    });
    expect(await tools().keep({ text: "use TABS.", topic: null, scope: "project" })).toMatchObject({
      type: "refused",
      why: "project/style says it already",
    });
  });

  test("a secret is refused, one of the environment and what looks like one, in the text and in the topic", async () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    for (const note of [
      { text: "the key is s3cr3t-value-of-mine", topic: null },
      { text: `token ${token}`, topic: null },
      { text: "x y", topic: "s3cr3t-value-of-mine" },
    ])
      expect(await tools().keep({ ...note, scope: "project" })).toMatchObject({
        type: "refused",
        why: expect.stringContaining("secret"),
      });
    expect(await waitingIn([ours()])).toEqual([]);
  });

  test("without a project its scope is refused; a memory is read by its name and nothing else is", async () => {
    const alone = memoryTools({ home: { ...home(), project: null }, mask: noMask, mode: "review" });
    expect(await alone.keep({ text: "x y", topic: null, scope: "project" })).toMatchObject({ type: "refused" });
    topic("ports.md", "---\nname: Ports\n---\n5433 is Postgres.");
    expect(await tools().read("ports")).toMatchObject({
      type: "found",
      name: "project/ports",
      text: expect.stringContaining("5433"),
    });
    expect(await tools().read("../../../user/.bashrc")).toEqual({ type: "unknown", names: ["project/ports"] });
  });
});

describe("what is told with a message", () => {
  test("the index once, the few that fit, and which of those shown no longer hold", async () => {
    const told = memoryLook(home());
    const at = async (message: string | null, held: Parameters<typeof told>[0]["held"] = []) =>
      await told({ message, touched: [], held });
    topic("deploy.md", "Deploy with ship.sh.");
    topic("tabs.md", "The user prefers tabs over spaces.");
    put(join(base, "work/docs/decisions.md"), "# Decisions");
    const first = await at("how do I deploy?");
    expect(first.attachments.map(({ kind, name }) => [kind, name])).toEqual([
      ["memory-index", "memory"],
      ["memory", "project/deploy"],
    ]);
    expect(first.attachments[0]?.text).toContain("docs/decisions.md");
    expect((await at(null)).attachments).toEqual([]);
    const held = first.attachments.map(({ text: _, ...one }) => one);
    expect((await at("what is 2+2", held)).ended).toEqual([]);
    topic("deploy.md", "Deploy with ship.sh, and wait for the canary.");
    expect((await at("what is 2+2", held)).ended).toEqual([
      { kind: "memory", name: "project/deploy", why: "the file has changed since" },
    ]);
    const again = await at("how do I deploy?", held);
    expect(again.ended).toEqual([]);
    expect(again.attachments[1]?.text).toContain("no longer counts");
    rmSync(join(ours().folder, "deploy.md"));
    expect((await at("how do I deploy?", held)).ended).toMatchObject([{ why: "the file is gone" }]);
  });

  test("M-55 · within 3,000 tokens a message and so many an epoch, the same text once", async () => {
    for (let at = 0; at < 8; at += 1)
      topic(`kafka-${at}.md`, `Kafka partitions, note ${at}.\n${"a line of it\n".repeat(2_000)}`);
    topic("same.md", readFileSync(join(ours().folder, "kafka-1.md")));
    const told = await memoryLook(home())({ message: "how many kafka partitions?", touched: [], held: [] });
    const memories = told.attachments.filter(({ kind }) => kind === "memory");
    expect(memories.length).toBeGreaterThan(0);
    expect(new Set(memories.map(({ hash }) => hash)).size).toBe(memories.length);
    const { estimate } = await import("../../src/budget/count.ts");
    expect(memories.reduce((sum, { text }) => sum + estimate(text), 0)).toBeLessThanOrEqual(bounds.memoryTokensMax);
    const [one] = memories;
    const held = Array.from({ length: bounds.memoriesPerEpochMax }, (_, at) => ({
      kind: "memory" as const,
      name: `project/x${at}`,
      source: "",
      hash: brand<"Hash">("0"),
    }));
    if (one === undefined) throw new Error("one fits");
    const full = await memoryLook(home())({
      message: "how many kafka partitions?",
      touched: [],
      held: [...held.slice(1), one],
    });
    expect(full.attachments.filter(({ kind }) => kind === "memory").map(({ name }) => name)).toEqual([one.name]);
  });
});
