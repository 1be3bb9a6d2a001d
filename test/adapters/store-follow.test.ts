import { appendFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Entry } from "../../src/log/entry.ts";
import type { Damage, Stores } from "../../src/ports/store.ts";
import { appendOne, leased, linesOf, main, openStore, said, started, storeWith, tempFolder } from "./store-files.ts";

/** Follows the main lane until `count` entries were met. `met(n)` waits for the n-th. */
function follow(stores: Stores) {
  const stop = new AbortController();
  const entries: Entry[] = [];
  const damage: Damage[] = [];
  let wake: () => void = () => undefined;
  const ended = (async () => {
    const options = { follow: stop.signal, onDamage: (one: Damage) => damage.push(one) };
    for await (const entry of stores.log.read(main, null, options)) {
      entries.push(entry);
      wake();
    }
  })();
  const met = async (count: number): Promise<void> => {
    while (entries.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { stop, entries, damage, ended, met };
}

test("a follower meets what another process appends, from before the log exists", async () => {
  const root = await tempFolder();
  const follower = follow(openStore(root));
  const other = openStore(root);
  expect(await appendOne(other, 0, started)).toMatchObject({ type: "appended" });
  await follower.met(1);
  for (const seq of [1, 2, 3]) await appendOne(other, seq);
  await follower.met(4);
  follower.stop.abort();
  await follower.ended;
  expect(follower.entries.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
  expect(follower.damage).toEqual([]);
});

test("a follower takes a line that is still being written as unfinished, not as torn", async () => {
  const { root, path } = await storeWith(3);
  const lines = await linesOf(path);
  const third = Buffer.from(`${lines[2]}\n`);
  await writeFile(path, `${lines.slice(0, 2).join("\n")}\n`);
  const follower = follow(openStore(root));
  await follower.met(2);
  await appendFile(path, third.subarray(0, 30));
  await appendFile(path, third.subarray(30, 60));
  await appendFile(path, third.subarray(60));
  await follower.met(3);
  follower.stop.abort();
  await follower.ended;
  expect([follower.entries.length, follower.damage]).toEqual([3, []]);
});

test("two followers and a writer of one process each meet every entry once", async () => {
  const { root } = await storeWith(1);
  const stores = openStore(root);
  const followers = [follow(stores), follow(stores)];
  const { fence } = await leased(stores.log.lease(main, "writer"));
  const appends = Array.from({ length: 20 }, (_, index) => ({ expectedSeq: index + 1, entries: [said(`n${index}`)] }));
  await Promise.all(appends.map((call) => stores.log.append({ stream: main, fence, ...call })));
  for (const follower of followers) {
    await follower.met(21);
    follower.stop.abort();
    await follower.ended;
    expect(follower.entries.map((entry) => entry.seq)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  }
});

test("a follower that stops looking leaves nothing open", async () => {
  const { root } = await storeWith(2);
  const stop = new AbortController();
  for await (const entry of openStore(root).log.read(main, null, { follow: stop.signal })) {
    expect(entry.seq).toBe(1);
    break;
  }
  expect(stop.signal.aborted).toBe(false);
});
