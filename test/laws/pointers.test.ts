import { expect, test } from "vitest";
import type { Effects } from "../../src/agent/effects.ts";
import { replay } from "../../src/agent/replay.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { charsOfText, type Piece, type Text } from "../../src/log/block.ts";
import type { Entry } from "../../src/log/entry.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { randomSession, wildModels } from "../support/random-session.ts";
import { lostPointers, pointersOf, type RequestText } from "../support/resolved.ts";

const sessions = 30;

test("pointers · 30 sessions of any models, troubles, deaths and small windows: each leads to its lines in every request", async () => {
  let [pointers, lostWithout] = [0, 0];
  for (let seed = 1; seed <= sessions; seed++) {
    const found = await randomSession(seed, {
      models: wildModels,
      reads: true,
      troubles: seed % 2 === 0,
      deaths: seed % 3 === 0,
      windowTokens: [20_000, 28_000, 40_000, 80_000][seed % 4] ?? 0,
      inspect: async (entries, requests, getBlob) => {
        const originals = await originalsIn(entries, getBlob);
        const originalOf = (handle: string) => originals.get(handle) ?? null;
        for (const request of requests) {
          const texts = textsOf(request);
          pointers += texts.flatMap(({ text }) => pointersOf(text)).length;
          expect(lostPointers(texts, originalOf)).toEqual([]);
        }
        await replay(withoutWriting(entries), { codecFor, getBlob }, (_entry, request) => {
          if (request !== null) lostWithout += lostPointers(textsIn(request.doc), originalOf).length;
        });
      },
    });
    expect(found).toEqual([]);
  }

  expect(pointers).toBeGreaterThan(1_000);
  // The same logs, where breaks write nothing out.
  expect(lostWithout).toBeGreaterThan(100);
}, 240_000);

function textsOf(record: SimRecord | undefined): readonly RequestText[] {
  if (record === undefined || record.violation !== null) return [];
  const isWrapped = record.wire === "gemini";
  return cut(record.wire, record.body).map(({ kind, text }) => {
    const isResult = kind === "result";
    return { text: isResult && isWrapped ? unwrapped(text) : text, isResult };
  });
}

/** A tool's name and the object its result stands in. */
function unwrapped(text: string): string {
  const parsed = parseJson(text.slice(text.indexOf("{")));
  const said = parsed.type === "ok" && isRecord(parsed.value) ? (parsed.value.output ?? parsed.value.error) : text;
  return typeof said === "string" ? said : text;
}

function textsIn({ pieces }: Doc): readonly RequestText[] {
  return pieces.flatMap(({ block }) => {
    if (block.type !== "tool-result" && block.type !== "text") return [];
    return typeof block.text === "string" ? [{ text: block.text, isResult: block.type === "tool-result" }] : [];
  });
}

/** Breaks that only take away. */
async function* withoutWriting(entries: readonly Entry[]): AsyncIterable<Entry> {
  let state = emptyState;
  for (const entry of entries) {
    const { live } = state;
    state = reduce(state, entry);
    if (entry.type !== "epoch-opened") yield entry;
    else yield { ...entry, edits: entry.edits.filter((edit) => edit.type !== "replaced" || !isWriting(edit, live)) };
  }
}

function isWriting({ piece, text }: { readonly piece: string; readonly text: Text }, live: readonly Piece[]): boolean {
  const block = live.find(({ id }) => id === piece)?.block;
  return block?.type === "tool-result" && block.pointers !== undefined && charsOfText(text) > charsOfText(block.text);
}

async function originalsIn(
  entries: readonly Entry[],
  getBlob: Effects["getBlob"],
): Promise<ReadonlyMap<string, string>> {
  const originals = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "tool-returned") continue;
    const { handle, output } = entry;
    originals.set(handle, typeof output === "string" ? output : ((await getBlob(output.blob)) ?? ""));
  }
  return originals;
}
