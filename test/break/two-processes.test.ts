import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { Damage, StreamId } from "../../src/ports/store.ts";
import { appendOne, main, openStore, readAll, said, storeWith } from "../adapters/store-files.ts";
import { call, inScene, linesOf, tell } from "../support/varve-process.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process that appends two entries at a time without pause, and tells each head that it knows to be written. */
async function rushing(root: string): Promise<{ readonly kill: () => Promise<void>; readonly told: () => number }> {
  const script = join(import.meta.dirname, "../adapters/fixtures/store-process.ts");
  const child = spawn(process.execPath, [script, root, "rusher", "rush"], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  let told = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    told = Number(line);
  });
  await once(lines, "line");
  const kill = async () => {
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  };
  return { kill, told: () => told };
}

const forkOf = (index: number): StreamId & { readonly type: "lane" } => ({
  type: "lane",
  session: brand(`fork-${index}`),
  lane: mainLane,
});

test("C-087 · forks and lists taken while another process appends are whole, and the writer never notices", async () => {
  const { root } = await storeWith(1);
  const writer = await rushing(root);
  const stores = openStore(root);
  for (let index = 0; index < 12; index += 1) {
    const before = writer.told();
    const { session } = forkOf(index);
    const head = await stores.log.fork(main, Number.POSITIVE_INFINITY, session);
    expect(head.seq).toBeGreaterThanOrEqual(before);
    const seqs: number[] = [];
    const damage: Damage[] = [];
    for await (const { seq } of stores.log.read(forkOf(index), null, { onDamage: (one) => damage.push(one) }))
      seqs.push(seq);
    expect([seqs.length, seqs.at(-1), damage]).toEqual([head.seq, head.seq, []]);
    expect((await stores.log.list({ project: null, limit: 99 })).length).toBe(index + 2);
  }
  await writer.kill();
  const seen = await readAll(openStore(root));
  expect(seen.entries.map(({ seq }) => seq)).toEqual(seen.entries.map((_, at) => at + 1));
  expect(seen.entries.length).toBeGreaterThanOrEqual(writer.told());
});

test("C-087 · a reader that follows sees all that a writer wrote before kill -9, and goes on with the next writer", async () => {
  const { root } = await storeWith(1);
  const reader = openStore(root);
  const stop = new AbortController();
  const seqs: number[] = [];
  const damage: Damage[] = [];
  const following = (async () => {
    const options = { follow: stop.signal, onDamage: (one: Damage) => damage.push(one) };
    for await (const entry of reader.log.read(main, null, options)) {
      seqs.push(entry.seq);
      if (entry.type === "message-added" && entry.text === "the last") stop.abort();
    }
  })();
  for (let round = 0; round < 3; round += 1) {
    const writer = await rushing(root);
    await new Promise((resolve) => setTimeout(resolve, 30 * round));
    await writer.kill();
    const stores = openStore(root);
    const { entries } = await readAll(stores);
    expect(entries.length).toBeGreaterThanOrEqual(writer.told());
    const text = round === 2 ? "the last" : "one more";
    expect(await appendOne(stores, entries.length, said(text))).toMatchObject({ type: "appended" });
  }
  await following;
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect(damage).toEqual([]);
});

test("C-087 · of four resumes at once each is answered or told who has the session and since when; no word is lost", () =>
  inScene("anthropic", async ({ ask, run, entries, provider }) => {
    expect(await ask("first")).toMatchObject({ code: 0 });
    const texts = ["a", "b", "c", "d"];
    const slow = (text: string) => tell(call("Bash", { command: "sleep 0.4" }), { text });
    const ended = await Promise.all(
      texts.map((text) => ask(slow(text), ["--continue", "--permission-mode", "bypassPermissions"])),
    );
    const done = texts.filter((_, at) => ended[at]?.code === 0);
    expect(done.length).toBeGreaterThan(0);
    for (const [at, { code, stdout, stderr }] of ended.entries()) {
      if (code === 0) expect(stdout).toBe(`${texts[at]}\n`);
      else
        expect(stderr).toMatch(
          /^varve: this session is open in .+ since \d{4}-.+: end it there, or fork the session$/m,
        );
    }
    const said = (await entries("message-added")).map(({ text }) => String(text));
    expect(said.toSorted()).toEqual(["first", ...done.map(slow)].toSorted());
    expect(await run(["log", "--verify"])).toMatchObject({ code: 0 });
    expect(linesOf((await run(["log", "--list", "--json"])).stdout).length).toBe(1);
    expect((await provider.records()).filter(({ violation }) => violation !== null)).toEqual([]);
  }));
