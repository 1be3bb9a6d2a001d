import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pathsOf } from "../../src/adapters/store-file-path.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { inFolder, lawStream, save } from "../support/saved-log.ts";

const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });

test("law 1 · an append never changes a byte that was there: each earlier file is the beginning of each later one", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMoves, sizes, async (moves, appends) => {
      const log = await play("anthropic", moves);
      await inFolder(async (open, root) => {
        const { log: path } = pathsOf(root, lawStream);
        let before: Uint8Array = new Uint8Array();
        await save(open(), log, appends, async () => {
          const now = await readFile(path);
          expect(now.length).toBeGreaterThan(before.length);
          expect(Buffer.compare(now.subarray(0, before.length), before)).toBe(0);
          before = now;
        });
      });
    }),
    { numRuns: 20 },
  );
});
