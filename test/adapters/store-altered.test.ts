import { appendFile, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import { encodeLine } from "../../src/log/codec.ts";
import {
  appendOne,
  linesOf,
  openStore,
  putLines,
  readAll,
  type Seen,
  said,
  started,
  storeWith,
} from "./store-files.ts";

const seqs = (seen: Seen) => seen.entries.map(({ seq }) => seq);
const types = (seen: Seen) => seen.damage.map(({ type }) => type);

describe("lines that were altered and still parse", () => {
  for (const number of [1, 2, 9, 4_000, Number.MAX_SAFE_INTEGER]) {
    test(`a number that became ${number} is told by the chain: one report, the entry keeps its place, counting goes on`, async () => {
      const { root, path } = await storeWith(6);
      const lines = await linesOf(path);
      await putLines(
        path,
        lines.map((line) => line.replace(/^\{"seq":4,/, `{"seq":${number},`)),
      );
      const seen = await readAll(openStore(root));
      expect([seqs(seen), types(seen)]).toEqual([[1, 2, 3, 4, 5, 6], ["broken-chain"]]);
      expect(seen.damage[0]?.detail).toContain(`says number ${number} and was written as 4`);
      expect(await appendOne(openStore(root), 6)).toMatchObject({ type: "appended", head: { seq: 7 } });
      for (const [index, position] of seen.positions.entries())
        expect(seqs(await readAll(openStore(root), position))[0]).toBe(index + 2);
    });
  }

  test("law 10 · a line of nowhere with a number beyond all reach is unreadable, and does not end counting", async () => {
    const { root, path } = await storeWith(3);
    const seq = 3 + bounds.gapMax + 1;
    const line = encodeLine({ seq, at: 1, fence: 1, prev: brand("a".repeat(64)), body: said("x") });
    await appendFile(path, `${line}\n`);
    const seen = await readAll(openStore(root));
    expect([seqs(seen), types(seen)]).toEqual([[1, 2, 3, 3.5], ["unreadable"]]);
    expect(await appendOne(openStore(root), 3)).toMatchObject({ type: "appended", head: { seq: 4 } });
  });
});

describe("the log of another session, pasted in", () => {
  const other = { ...started, session: brand<"SessionId">("s2") } as typeof started;

  async function otherLines(count: number): Promise<readonly string[]> {
    const { root, path } = await storeWith(1);
    await putLines(path, [encodeLine({ seq: 1, at: 5, fence: 1, prev: "", body: other })]);
    for (let seq = 1; seq < count; seq += 1) await appendOne(openStore(root), seq, said(`of another ${seq}`));
    return await linesOf(path);
  }

  for (const [name, at] of [
    ["in the middle", 3],
    ["at the end", 6],
  ] as const) {
    test(`${name}: it is left out and named once, and what is written after it is read`, async () => {
      const { root, path } = await storeWith(6);
      const [lines, foreign] = [await linesOf(path), await otherLines(9)];
      await putLines(path, [...lines.slice(0, at), ...foreign, ...lines.slice(at)]);
      const before = await readFile(path);
      const seen = await readAll(openStore(root));
      expect([seqs(seen), types(seen), seen.damage[0]?.line]).toEqual([[1, 2, 3, 4, 5, 6], ["other-session"], at + 1]);
      const stores = openStore(root);
      expect(await appendOne(stores, 6)).toMatchObject({ type: "appended", head: { seq: 7 } });
      expect(await appendOne(openStore(root), 7)).toMatchObject({ type: "appended", head: { seq: 8 } });
      const again = await readAll(openStore(root));
      expect([seqs(again), types(again)]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], ["other-session"]]);
      expect((await readFile(path)).subarray(0, before.length).equals(before)).toBe(true);
      for (const [index, position] of again.positions.entries())
        expect(seqs(await readAll(openStore(root), position))).toEqual(seqs(again).slice(index + 1));
    });
  }
});
