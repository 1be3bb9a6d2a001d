import fc from "fast-check";
import { expect, test } from "vitest";
import { readTranscript } from "../../src/import/read.ts";
import type { BlobText, Item } from "../../src/import/transcript.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { addUsage, noUsage } from "../../src/kernel/usage.ts";
import type { Piece, Text } from "../../src/log/block.ts";
import { encodeLine } from "../../src/log/codec.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import { pendingPieces, reduceAll } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { gathered, ofType, outline, usageIn } from "./items.ts";

async function itemsOfLog(lines: readonly string[], blobText?: BlobText): Promise<readonly Item[]> {
  const found = await readTranscript([new TextEncoder().encode(lines.join("\n"))], blobText);
  if (found.type === "foreign") throw new Error(found.why);
  expect(found.format).toBe("varve");
  return await gathered(found.items);
}

function lineOf({ seq, at, ...body }: Entry): string {
  // The store never writes the entry that stands for a bad line; the tests leave it out.
  return encodeLine({ seq, at, fence: 1, prev: "", body: body as EntryBody });
}

/** The items that stand in the context at the end: what a consumer has to do with restarts. */
function contextOf(items: readonly Item[]): readonly Item[] {
  let live: readonly number[] = [];
  for (const [at, item] of items.entries()) {
    if (item.type !== "restarted") live = [...live, at];
    else live = live.filter((number) => item.keeps.some(([from, to]) => from <= number && number <= to));
  }
  return live.flatMap((number) => items[number] ?? []);
}

function wordsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.type === "call") return [`${item.callId} ${item.input}`];
    return item.type === "message" || item.type === "text" || item.type === "result" || item.type === "reasoning"
      ? [item.text]
      : [];
  });
}

test.each<Wire>(["anthropic", "responses", "gemini", "chat"])(
  "%s · what stands in the context of a log's items is what the log's prompt shows, breaks or not",
  async (wire) => {
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, async (moves) => {
        const { entries, texts } = await play(wire, moves);
        const written = entries.filter(({ type }) => type !== "line-unreadable");
        const blobText = (hash: string) => texts.get(brand(hash)) ?? null;
        const items = await itemsOfLog(written.map(lineOf), blobText);
        const state = reduceAll(emptyState, written);
        const shown = [...state.live, ...pendingPieces(state)].map((piece) => wordOf(piece, blobText));
        const words = wordsOf(contextOf(items));
        expect(without(shown, words)).toEqual([]);
        // A break that takes nothing away is none for the context, so the user context before it stays beside the new one.
        const contexts = written.flatMap((entry) => (entry.type === "epoch-opened" ? [entry.userContext] : []));
        const stale = contexts.map((text) => (typeof text === "string" ? text : blobText(text.blob)));
        expect(without(without(words, shown), stale)).toEqual([]);
        const reports = written.flatMap((entry) =>
          entry.type === "response-received" && entry.usage !== null ? [entry.usage] : [],
        );
        expect(usageIn(items)).toEqual(reports.reduce(addUsage, noUsage));
      }),
      { numRuns: 15 },
    );
  },
);

function without(all: readonly string[], some: readonly (string | null)[]): readonly string[] {
  const left = [...all];
  for (const one of some) {
    const at = left.indexOf(one ?? "");
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}

function wordOf({ block }: Piece, blobText: BlobText): string {
  const textOf = (text: Text) => (typeof text === "string" ? text : (blobText(text.blob) ?? ""));
  if (block.type === "tool-call") return `${block.callId} ${textOf(block.input)}`;
  return block.type === "image" || block.type === "opaque" ? "" : textOf(block.text);
}

const bodies: readonly EntryBody[] = [
  {
    type: "session-started",
    format: 1,
    session: brand("20260101-100000-abcdefgh"),
    lane: brand("agent-1"),
    project: null,
    cwd: "/work",
    version: "0.1.0",
  },
  { type: "message-added", text: { blob: hashOf("long"), chars: 4 } },
];

test("a long text is said by its length where it is not at hand; an entry of a newer version is kept as it is", async () => {
  const lines = bodies.map((body, at) => encodeLine({ seq: at + 1, at: 1_000, fence: 1, prev: "", body }));
  const newer = JSON.stringify({ seq: 3, fence: 1, prev: "", at: 1_000, type: "dreamt" });
  const items = await itemsOfLog([...lines, newer]);
  expect(outline(items)).toEqual(["session", "unknown", expect.stringMatching(/^typed: \[4 characters in the blob /)]);
  expect(ofType(items, "unknown")[0]).toMatchObject({ kind: "entry/dreamt", raw: newer });
  expect(new Set(items.map(({ lane }) => lane))).toEqual(new Set(["agent-1"]));
  expect(outline(await itemsOfLog(lines, () => "long"))).toContain("typed: long");
});
