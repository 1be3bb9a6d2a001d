import type { Hash } from "../kernel/ids.ts";
import type { State } from "../log/state.ts";
import { parseHead } from "../prompt/head.ts";
import { blobsOf, type Head } from "../prompt/render.ts";
import type { TextCache } from "./texts.ts";

/** The head an epoch was opened with, whatever this version would say today. */
export async function loadHead(epoch: NonNullable<State["epoch"]>, texts: TextCache): Promise<Head> {
  const read = async (hash: Hash) => await texts.read({ blob: hash, chars: 0 });
  return parseHead({ tools: await read(epoch.head.tools), system: await read(epoch.head.system) });
}

/** null when there is no epoch, or its stored head cannot be read: then the next request opens a new one. */
export async function headOf(state: State, texts: TextCache): Promise<Head | null> {
  if (state.epoch === null) return null;
  try {
    return await loadHead(state.epoch, texts);
  } catch (error) {
    // Expected after damage; `decide` sees the missing head and opens an epoch that says so.
    if (error instanceof Error) return null;
    throw error;
  }
}

export function blobsWanted(state: State): readonly Hash[] {
  const head = state.epoch === null ? [] : [state.epoch.head.tools, state.epoch.head.system];
  // The plan stands in no piece of the prompt, but a compaction shows it again.
  const plan = state.plan === null || typeof state.plan === "string" ? [] : [state.plan.blob];
  // Nor need what was attached, which the next epoch says anew.
  const attached = Object.values(state.attached).flatMap(({ text }) => (typeof text === "string" ? [] : [text.blob]));
  // Nor the rolling summary, until the window slides.
  const { made } = state.rolling;
  const rolling = made === null || typeof made.text === "string" ? [] : [made.text.blob];
  return [...new Set([...blobsOf(state), ...head, ...plan, ...attached, ...rolling])];
}
