import fc from "fast-check";
import { expect, test } from "vitest";
import { asSent } from "../../src/agent/as-sent.ts";
import { laneReport } from "../../src/agent/context-of.ts";
import type { Hash } from "../../src/kernel/ids.ts";
import { wires } from "../../src/kernel/usage.ts";
import { emptyLedger, readEntry } from "../../src/ledger/ledger.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import type { Entry, EntryOf } from "../../src/log/entry.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { lawCodec, play, type RandomLog } from "../support/play-log.ts";
import { storedForms } from "../support/replay-log.ts";

type Blobs = ReadonlyMap<Hash, string>;

/** Entries lost, doubled and out of place, as damage leaves them. */
const damage = fc.array(fc.tuple(fc.constantFrom("lost", "doubled", "moved"), fc.nat(), fc.nat()), { maxLength: 3 });

function damaged(entries: readonly Entry[], what: readonly (readonly [string, number, number])[]): readonly Entry[] {
  return what.reduce((list: readonly Entry[], [kind, at, to]) => {
    const from = 1 + (at % (list.length - 1));
    const taken = list.slice(from, from + 1);
    const rest = kind === "doubled" ? list : list.toSpliced(from, 1);
    return kind === "lost" ? rest : rest.toSpliced(1 + (to % rest.length), 0, ...taken);
  }, entries);
}

/** Each request from a copy of the state that shares no object with anything: nothing of an earlier one can be taken over. */
function plainRows(entries: readonly Entry[], blobs: Blobs): readonly LedgerRow[] {
  const rows: LedgerRow[] = [];
  let state = emptyState;
  let ledger = emptyLedger;
  for (const entry of entries) {
    const before = state;
    const segmentsOf = (sent: EntryOf<"request-sent">) => asSent(rendered(before, blobs), sent);
    const step = readEntry(ledger, entry, { segmentsOf, lifetime: "5m", prices: {} });
    ledger = structuredClone(step.memo);
    if (step.row !== null) rows.push(step.row);
    state = reduce(state, entry);
  }
  return rows;
}

function rendered(state: State, blobs: Blobs) {
  if (state.epoch === null || state.started === null) return [];
  const texts = new Map(blobs);
  const doc = storedForms(structuredClone(state), texts, texts);
  return lawCodec(doc.model.wire).segmentsOfDoc(doc);
}

async function rowsOf(entries: readonly Entry[], { texts }: RandomLog): Promise<readonly LedgerRow[]> {
  const getBlob = async (hash: Hash) => texts.get(hash) ?? null;
  const tools = { codecFor: lawCodec, getBlob };
  return (await laneReport(one(entries), tools, { prices: {}, windowFor: () => null, now: 0 })).rows;
}

async function* one(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

test.each(wires)(
  "law 9 · %s · a log's requests are the same rendered one on another or each from nothing",
  async (wire) => {
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, damage, async (moves, what) => {
        const log = await play(wire, moves);
        const entries = damaged(log.entries, what);
        expect(await rowsOf(entries, log)).toEqual(plainRows(entries, log.texts));
      }),
      { numRuns: 60 },
    );
  },
  60_000,
);
