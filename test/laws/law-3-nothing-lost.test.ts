import fc from "fast-check";
import { expect, test } from "vitest";
import { loadState } from "../../src/agent/stored-state.ts";
import { memoryPolicies } from "../../src/budget/window.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { Handle } from "../../src/kernel/ids.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { State } from "../../src/log/state.ts";
import type { Stores } from "../../src/ports/store.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { inFolder, lawStream, save } from "../support/saved-log.ts";

const wires = fc.constantFrom("anthropic" as const, "chat" as const);
const policies = fc.constantFrom(...memoryPolicies);

test("law 3 · all that tools returned is there by its handle, exactly, after folds and breaks and a new process", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryMoves, wires, policies, async (moves, wire, policy) => {
      const log = await play(wire, moves, policy);
      await inFolder(async (open) => {
        await save(open(), log, [5]);
        const stores = open();
        const { state } = await loadState(stores.log, null, lawStream);
        for (const { handle, output } of log.returned) expect(await recalled(stores, state, handle)).toBe(output);
        for (const entry of log.entries) {
          if (entry.type !== "epoch-opened") continue;
          const folds = entry.edits.flatMap((edit) => (edit.type === "inserted" ? [edit.original.handle] : []));
          for (const handle of folds)
            expect(handleOf(hashOf((await recalled(stores, state, handle)) ?? ""))).toBe(handle);
        }
      });
    }),
    { numRuns: 30 },
  );
});

async function recalled(stores: Stores, state: State, handle: Handle): Promise<string | null> {
  const original = [...itemsOf(state.originals)].find((one) => one.handle === handle);
  if (original === undefined) return null;
  if (typeof original.text === "string") return original.text;
  const bytes = await stores.blobs.get(lawStream, original.text.blob);
  return bytes === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
