import type { TranscriptFile } from "../adapters/transcript-files.ts";
import { sessionsIn } from "../adapters/transcripts.ts";
import type { VarveEstimate } from "../audit/report.ts";
import { type VarveTrial, varveEstimate, varveTrial } from "../audit/varve-estimate.ts";
import type { Item } from "../import/transcript.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Progress } from "./audit-progress.ts";

export type ReplayLimits = {
  readonly sessions: number;
  readonly fileBytes: number;
  readonly bytes: number;
  readonly ms: number;
};

/** What Varve would have made of the newest sessions, as many as the limits let; null where none can be replayed. */
export async function replayNewest(
  files: readonly TranscriptFile[],
  given: { readonly signal: AbortSignal; readonly progress: Progress; readonly limits?: ReplayLimits },
): Promise<VarveEstimate | null> {
  const { signal, progress, limits = replayLimits } = given;
  const startedMs = Date.now();
  const trials: VarveTrial[] = [];
  let bytes = 0;
  for (const file of files) {
    const isOver = trials.length >= limits.sessions || Date.now() - startedMs > limits.ms;
    if (isOver || signal.aborted) break;
    if (file.bytes > limits.fileBytes || bytes + file.bytes > limits.bytes) continue;
    bytes += file.bytes;
    progress.file(`replaying ${file.path}`);
    for (const { name, items } of await itemsOf(file, signal)) {
      const trial = trials.length < limits.sessions ? await varveTrial(name, items) : null;
      if (trial !== null) trials.push(trial);
    }
  }
  return signal.aborted ? null : varveEstimate(trials);
}

const replayLimits: ReplayLimits = {
  sessions: bounds.auditReplaysMax,
  fileBytes: bounds.auditReplayFileBytesMax,
  bytes: bounds.auditReplayBytesMax,
  ms: bounds.auditReplayMsMax,
};

/** A replay needs a session whole. What is wrong with the file was said when it was audited. */
async function itemsOf(
  file: TranscriptFile,
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly items: readonly Item[] }[]> {
  const found: { readonly name: string; readonly items: readonly Item[] }[] = [];
  try {
    for await (const one of sessionsIn(file, { signal, onRead: () => undefined })) {
      if (one.type !== "session") continue;
      const items: Item[] = [];
      for await (const item of one.items) items.push(item);
      found.push({ name: one.file, items });
    }
  } catch {
    return [];
  }
  return found;
}
