import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Brain, BrainReply, BrainRequest } from "../src/testing/simulate/brain.ts";
import { diceOf } from "./long-dice.ts";

/** What a brain met that can see no more than its request. */
export type Work = {
  readonly brain: Brain;
  /** Files it read, and of these how many it had read before and could not see any more. */
  readonly counts: { reads: number; again: number; givenUp: number };
};

export const messageOf = (task: number) => `Task ${task}: write out/task-${task}.txt from the keys it needs.`;

const linesPerFile = 60;
const triesMax = 3;

/** One file a task, each with a key on one of its lines. */
export async function writeParts(folder: string, tasks: number): Promise<void> {
  await mkdir(join(folder, "src"), { recursive: true });
  for (let part = 0; part < tasks; part += 1) {
    const dice = diceOf(part + 77);
    const at = dice.below(linesPerFile);
    const lines = Array.from({ length: linesPerFile }, (_, line) =>
      line === at
        ? `export const key${part} = "v${dice.below(1_000_000)}";`
        : `  row(${line}, "part ${part}", ${dice.below(100_000)}, [${dice.below(99)}, ${dice.below(99)}]); // ${words(dice.below(9_999))}`,
    );
    await writeFile(join(folder, fileOf(part)), lines.join("\n"));
  }
}

/**
 * Each task reads its own file, searches, needs the keys of some earlier files (mostly of the last ones), writes and runs
 * something. A key that its request does not show is read again.
 */
export function nativeWork(): Work {
  const counts = { reads: 0, again: 0, givenUp: 0 };
  const read = new Set<number>();
  const brain: Brain = (request) => {
    const texts = textsOf(request);
    const task = newestTask(texts);
    const calls = callsOf(request);
    const made = (name: string) =>
      calls.some((call) => call.includes(name)) || texts.some((text) => text.includes(name));
    const hidden = [task, ...neededBy(task)].find(
      (part) => !isShown(part, texts) && tries(part, calls, task) < triesMax,
    );
    if (hidden !== undefined) {
      counts.reads += 1;
      if (read.has(hidden)) counts.again += 1;
      read.add(hidden);
      return step(task, { tool: "Read", input: { path: fileOf(hidden) } });
    }
    if (!made(`part ${task}"`))
      return step(task, { tool: "Grep", input: { pattern: `part ${task}", [0-9]*7,`, limit: 40 } });
    const file = `out/task-${task}.txt`;
    if (!calls.some((call) => call.includes(file))) {
      counts.givenUp += neededBy(task).filter((part) => !isShown(part, texts)).length;
      return step(task, { tool: "Write", input: { path: file, content: `task ${task} is written\n` } });
    }
    const command = `seq 1 ${200 + (task % 7) * 30} | sed 's/^/task ${task} ok /'`;
    if (!calls.some((call) => call.includes(`/task ${task} ok`)))
      return step(task, { tool: "Bash", input: { command } });
    return { reasoning: thought(task), text: `Task ${task} is done.` };
  };
  return { brain, counts };
}

function step(task: number, call: NonNullable<BrainReply["calls"]>[number]): BrainReply {
  return { reasoning: thought(task), calls: [call] };
}

/** Mostly keys of the last tasks, some of any before: the same ones whoever asks. */
function neededBy(task: number): readonly number[] {
  const dice = diceOf(task + 9_001);
  const back = () =>
    dice.of([dice.below(6), dice.below(6), dice.below(6), dice.below(20), dice.below(Math.max(1, task))]) + 1;
  const parts = Array.from({ length: Math.min(task, 3) }, () => Math.max(0, task - back()));
  return [...new Set(parts)];
}

function newestTask(texts: readonly string[]): number {
  const found = texts.flatMap((text) => [...text.matchAll(/Task (\d+): write/g)].map(([, n]) => Number(n)));
  return Math.max(0, ...found);
}

function isShown(part: number, texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(`key${part} = "v`));
}

/** How often a file was asked for in this task, as far as that is to be seen. */
function tries(part: number, calls: readonly string[], task: number): number {
  const since = calls.findLastIndex((call) => call.includes(`/task ${task - 1} ok`));
  return calls.slice(since + 1).filter((call) => call.includes(`"${fileOf(part)}"`)).length;
}

function textsOf({ messages }: BrainRequest): readonly string[] {
  return messages.flatMap(({ role, parts }) =>
    role === "assistant"
      ? []
      : parts.flatMap((part) => (part.type === "text" || part.type === "result" ? [part.text] : [])),
  );
}

function callsOf({ messages }: BrainRequest): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "call" ? [JSON.stringify(part.input)] : [])),
  );
}

function fileOf(part: number): string {
  return `src/part-${part}.ts`;
}

function thought(task: number): string {
  return `For task ${task} I look at what is in view and go on: ${words(task * 31)} ${words(task * 17)}`;
}

const vocabulary =
  "the order total rounds each price twice before it is shown and saved while carts expire after some hours".split(" ");

function words(seed: number): string {
  const dice = diceOf(seed + 5);
  return Array.from({ length: 6 }, () => vocabulary[dice.below(vocabulary.length)]).join(" ");
}
