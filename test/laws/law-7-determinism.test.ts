import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry } from "../../src/log/entry.ts";
import { reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { lawCodec, play } from "../support/play-log.ts";
import { requestsOf, storedForms } from "../support/replay-log.ts";
import { inFolder, lawStream, save } from "../support/saved-log.ts";
import { bodiesOf, storedLog } from "./stored-log.ts";

describe.each<Wire>(["anthropic", "chat", "responses", "gemini"])(
  "law 7 · %s · the same log gives the same bytes",
  (wire) => {
    test("twice in one process, and from a state that went through JSON as a checkpoint does", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryMoves, async (moves) => {
          const log = await play(wire, moves);
          expect(requestsOf(wire, log).map(({ request }) => request.body)).toEqual(log.bodies);
          const state = reduceAll(emptyState, log.entries);
          if (state.epoch === null) return;
          const copy: State = JSON.parse(JSON.stringify(state));
          const next = (of: State) => lawCodec(wire).encode(storedForms(of, log.texts, log.texts), []).body;
          expect(next(copy)).toBe(next(state));
        }),
        { numRuns: 60 },
      );
    });

    test("after the store was closed and opened", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryMoves, async (moves) => {
          const log = await play(
            wire,
            moves.filter(({ type }) => type !== "damage"),
          );
          await inFolder(async (open) => {
            await save(open(), log, [3, 1]);
            const entries: Entry[] = [];
            for await (const entry of open().log.read(lawStream, null)) entries.push(entry);
            expect(requestsOf(wire, { ...log, entries }).map(({ request }) => request.body)).toEqual(log.bodies);
          });
        }),
        { numRuns: 15 },
      );
    });
  },
);

test("law 7 · in another time zone and locale, in another process, the bytes are the same", async () => {
  const script = fileURLToPath(new URL("./print-bodies.ts", import.meta.url));
  const logs = fc.sample(arbitraryMoves, { numRuns: 4, seed: 7 });
  await inFolder(async (_open, root) => {
    for (const [at, moves] of logs.entries()) {
      const wire = (["anthropic", "chat", "responses", "gemini"] as const)[at % 4] ?? "chat";
      const stored = storedLog(wire, await play(wire, moves));
      const file = join(root, `log-${at}.json`);
      await writeFile(file, stored);
      const env = { TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
      const { stdout } = await promisify(execFile)(process.execPath, [script, file], { env });
      expect(JSON.parse(stdout)).toEqual(bodiesOf(stored).map(hashOf));
    }
  });
});
