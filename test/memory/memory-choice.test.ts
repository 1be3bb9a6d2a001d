import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { fittingMemories } from "../../src/memory/memory-choice.ts";
import { type MemoryFile, parseMemory } from "../../src/memory/memory-file.ts";
import { recallMemories, recallRows } from "./recall-rows.ts";

async function memoriesOf(files: readonly (readonly [string, string])[]): Promise<readonly MemoryFile[]> {
  const read = files.map(([file, text]) =>
    parseMemory(text, { scope: "project", file, path: `/m/${file}`, isCut: false, writtenMs: 0 }),
  );
  return (await Promise.all(read)).map(({ memory }) => memory);
}

const namesFor = (message: string, memories: readonly MemoryFile[]) =>
  fittingMemories(message, memories).map(({ memory }) => memory.file);

async function figuresOf(rows: typeof recallRows) {
  const memories = await memoriesOf(recallMemories);
  const fits = rows.filter(([, file]) => file !== null);
  const none = rows.filter(([, file]) => file === null);
  const found = fits.filter(([message, file]) => namesFor(message, memories).some((name) => name === file));
  const silent = none.filter(([message]) => namesFor(message, memories).length === 0);
  const brought = rows.reduce((sum, [message]) => sum + namesFor(message, memories).length, 0);
  return {
    foundShare: found.length / fits.length,
    silentShare: silent.length / none.length,
    broughtPerRow: brought / rows.length,
  };
}

describe("recall on rows by hand", () => {
  const half = (odd: number) => recallRows.filter((_, at) => at % 2 === odd);

  test.each([
    { name: "even rows, by which the floor was chosen", rows: half(0) },
    { name: "odd rows, which were not looked at", rows: half(1) },
  ])("$name: what fits is brought, and what fits nothing brings nothing", async ({ rows }) => {
    const { foundShare, silentShare, broughtPerRow } = await figuresOf(rows);
    expect(foundShare).toBeGreaterThanOrEqual(0.85);
    expect(silentShare).toBeGreaterThanOrEqual(0.95);
    expect(broughtPerRow).toBeLessThan(1);
  });

  test("the same with three thousand characters of something else pasted behind the question", async () => {
    const memories = await memoriesOf(recallMemories);
    const paste = Array.from({ length: 60 }, (_, at) => `warning ${at}: the parser skipped an odd token near a comma`);
    const asked = recallRows.filter(([, file]) => file !== null);
    const found = asked.filter(([message, file]) =>
      namesFor(`${message}\n\n${paste.join("\n")}`, memories).some((name) => name === file),
    );
    expect(found.length / asked.length).toBeGreaterThanOrEqual(0.8);
  });
});

describe("what fits a message", () => {
  test("M-65 · none is a good answer: small talk, go on, nothing at all, no memories", async () => {
    const memories = await memoriesOf(recallMemories);
    for (const message of ["", "   ", "hello", "go on", "好的", "ok 👍", "?!", "the of and to", "1 2 3"])
      expect(namesFor(message, memories)).toEqual([]);
    expect(namesFor("how do we deploy?", [])).toEqual([]);
  });

  test("one memory alone is held to the same floor", async () => {
    const memories = await memoriesOf([["deploy.md", "Deploy with ./ship.sh; never on Fridays."]]);
    expect(namesFor("how do I deploy this?", memories)).toEqual(["deploy.md"]);
    expect(namesFor("use ship.sh", memories)).toEqual(["deploy.md"]);
    for (const message of ["fix the login bug", "what is 2+2", "rename this variable"])
      expect(namesFor(message, memories)).toEqual([]);
  });

  test("identifiers are found by their parts, and their parts by them", async () => {
    const memories = await memoriesOf([
      ["cart.md", "---\nname: cart totals\ndescription: computeCartTotal rounds once\n---\nSee computeCartTotal."],
      ["mail.md", "Mail goes out at night."],
    ]);
    for (const message of ["compute_cart_total is wrong", "where is computeCartTotal", "the cart total is off"])
      expect(namesFor(message, memories)).toEqual(["cart.md"]);
  });

  test("Chinese and Japanese without blanks, and emoji, are words too", async () => {
    const memories = await memoriesOf([
      ["部署.md", "部署用 ship.sh，周五不要部署"],
      ["数据库.md", "数据库在 5433 端口"],
      ["デプロイ.md", "デプロイは夜に行う"],
      ["party.md", "---\nname: 🎉 releases\ndescription: 🎉 goes into the channel\n---\n🎉"],
    ]);
    for (const message of ["怎么部署？", "请把应用部署到生产环境"])
      expect(namesFor(message, memories)).toEqual(["部署.md"]);
    expect(namesFor("数据库端口是多少", memories)).toEqual(["数据库.md"]);
    expect(namesFor("デプロイの手順を教えて", memories)).toEqual(["デプロイ.md"]);
    expect(namesFor("写一个函数", memories)).toEqual([]);
    expect(namesFor("post a 🎉", memories)).toEqual(["party.md"]);
  });

  test("never more than the most for a turn, best first, the newest of equals first", async () => {
    const same = Array.from({ length: 8 }, (_, at) => [`kafka-${at}.md`, "Kafka topics are compacted."] as const);
    const memories = (await memoriesOf(same)).map((memory, at) => ({ ...memory, writtenMs: at }));
    const names = namesFor("which kafka topics are compacted?", memories);
    expect(names).toHaveLength(bounds.memoriesPerTurnMax);
    expect(names[0]).toBe("kafka-7.md");
  });

  test("a word that most memories have says little, a word of the name says much", async () => {
    const body = "The shop runs on Kubernetes.";
    const memories = await memoriesOf([
      ...Array.from({ length: 10 }, (_, at) => [`note-${at}.md`, `${body} Note ${at}.`] as const),
      ["kubernetes-ingress.md", "---\nname: ingress\ndescription: ingress rules\n---\nTLS ends there."],
    ]);
    expect(namesFor("change the ingress of kubernetes", memories)).toEqual(["kubernetes-ingress.md"]);
  });

  test("of many large memories only the beginnings are compared, and of a huge message its ends", async () => {
    const text = "words about queues and workers ".repeat(2_000);
    const files = Array.from({ length: 200 }, (_, at) => [`big-${at}.md`, `${text} zeppelin`] as const);
    const memories = await memoriesOf([...files, ["airship.md", "The zeppelin is parked in hangar four."]]);
    expect(bounds.memoryWeighedCharsMax / memories.length).toBeLessThan(text.length);
    const log = "a pasted line of a log\n".repeat(50_000);
    expect(namesFor(`${log}where is the zeppelin parked?`, memories)).toEqual([]);
    expect(namesFor(`${log}\n\nwhere is the zeppelin parked?`, memories)).toEqual(["airship.md"]);
  });
});
