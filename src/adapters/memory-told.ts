import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { fittingMemories } from "../memory/memory-choice.ts";
import { type MemoryFile, memoryName } from "../memory/memory-file.ts";
import { memoryIndex } from "../memory/memory-index.ts";
import { memoryText } from "../memory/memory-text.ts";
import type { LookAt, Offered, Told } from "../ports/knowledge.ts";
import type { MemoryLook } from "./memory-read.ts";

/** What of the memory folders belongs into the conversation with a message: the index once, and the few that fit. */
export function memoryTold(
  { folders, notes }: MemoryLook,
  docs: readonly string[],
  { message, held }: { readonly message: string; readonly held: LookAt["held"] },
): Told {
  const index = memoryIndex(folders, docs);
  const all = folders.flatMap(({ files }) => files);
  const chosen = chosenFor(message, all, held);
  return {
    attachments: [...(index === null ? [] : [indexOffered(index)]), ...chosen],
    covers: ["memory-index"],
    ended: outdated(all, chosen, held),
    notes,
  };
}

function indexOffered(text: string): Offered {
  return { kind: "memory-index", name: "memory", source: "memory folders", hash: hashOf(text), text };
}

/** Best first, within the tokens that memories may take; what the window shows already costs nothing new. */
function chosenFor(message: string, all: readonly MemoryFile[], held: LookAt["held"]): readonly Offered[] {
  const now = Date.now();
  const bodies = new Set<string>();
  const shown = held.filter(({ kind }) => kind === "memory");
  let room = bounds.memoriesPerEpochMax - shown.length;
  let tokensLeft: number = bounds.memoryTokensMax;
  const chosen: Offered[] = [];
  for (const { memory } of fittingMemories(message, all)) {
    const name = memoryName(memory);
    const before = shown.find((one) => one.name === name);
    const isShown = before !== undefined;
    if (bodies.has(memory.body) || tokensLeft < memoryTokensMin || (!isShown && room <= 0)) continue;
    const text = memoryText(memory, {
      tokensMax: Math.min(tokensLeft, memoryTokensEach),
      now,
      before: before === undefined || before.hash === memory.hash ? "none" : "older",
    });
    bodies.add(memory.body);
    tokensLeft -= estimate(text);
    if (!isShown) room -= 1;
    chosen.push({ kind: "memory", name, source: memory.path, hash: memory.hash, text });
  }
  return chosen;
}

/** One alone does not take all of it; a rest that is smaller is not worth a beginning. */
const memoryTokensEach = bounds.memoryTokensMax / 2;
const memoryTokensMin = 150;

/** Shown ones that are no more what they were: their old words must not be taken for the new ones. */
function outdated(
  all: readonly MemoryFile[],
  chosen: readonly Offered[],
  held: LookAt["held"],
): NonNullable<Told["ended"]> {
  return held.flatMap(({ kind, name, hash }) => {
    if (kind !== "memory" || chosen.some((one) => one.name === name)) return [];
    const now = all.find((memory) => memoryName(memory) === name);
    if (now?.hash === hash) return [];
    const why = now === undefined ? "the file is gone" : "the file has changed since";
    return [{ kind, name, why }];
  });
}
