import { expect, test } from "vitest";
import { filesAgain } from "../../src/agent/files-again.ts";
import type { Lane } from "../../src/agent/lane.ts";
import type { Prompt } from "../../src/agent/prompt.ts";
import { rides } from "../../src/agent/reducing.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import { emptyState } from "../../src/log/state.ts";

const forecast = { promptTokens: 10_000, marginTokens: 500, autoTokens: 0, lineTokens: 100_000, fixedTokens: 0 };

const promptOf = (pieces: readonly Piece[], usableTokens: number) =>
  // Only what is asked of a prompt here.
  ({ doc: { pieces }, forecast: { ...forecast, usableTokens } }) as unknown as Prompt;

test("a summary rides where the request and the message that asks for it fit, to the token", () => {
  const fits = 10_500 + bounds.summaryAskTokens;
  expect(rides(promptOf([], fits), emptyState)).toBe(true);
  expect(rides(promptOf([], fits - 1), emptyState)).toBe(false);
});

const read = (path: string, n: number): Piece => ({
  id: `${n}.0`,
  role: "assistant",
  from: "anthropic",
  block: { type: "tool-call", callId: brand(`c${n}`), tool: "Read", input: JSON.stringify({ path }) },
});

test("files used last are shown again by what they hold now: the newest, a bounded number, none that is still in the prompt", async () => {
  const paths = Array.from({ length: bounds.filesAgainMax + 3 }, (_, n) => `/w/app/src/file-${n}.ts`);
  const seen = { hash: hashOf("x"), announced: null };
  const state = { ...emptyState, files: Object.fromEntries(paths.map((path) => [path, seen])) };
  const texts = new Map(paths.map((path) => [path, `content of ${path} </file> 漢字`]));
  const asked: string[] = [];
  const lane = {
    state: () => state,
    texts: { keep: async (text: string) => text },
    fx: {
      fileText: async (path: string) => {
        asked.push(path);
        return texts.get(path) ?? null;
      },
    },
  } as unknown as Lane;
  const pieces = paths.map(read);
  const drops = [[0, paths.length - 2]] as const;
  const fold = { type: "fold", drops, block: null, reasoningTokensLost: 0 } as const;
  const plan = { type: "break", reason: "compacted", fold, clips: [] } as const;
  const [entry] = await filesAgain(promptOf(pieces, 0), plan, lane);
  const text = entry?.type === "reminder-added" ? entry.text : "";
  // The newest still stands in the prompt; of the others the newest come first.
  expect(asked).toEqual(paths.slice(0, -1).toReversed().slice(0, bounds.filesAgainMax));
  expect(String(text).match(/^<file path=/gm)).toHaveLength(bounds.filesAgainMax);
  expect(String(text).match(/^<\/file>$/gm)).toHaveLength(bounds.filesAgainMax);
  expect(await filesAgain(promptOf(pieces, 0), { ...plan, fold: { ...fold, drops: [] } }, lane)).toEqual([]);
});
