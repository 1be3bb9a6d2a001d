import { recalledFor, recalledText } from "./recall.ts";
import type { Block, Probe, RecordedCall } from "./recording.ts";
import { tokensIn } from "./shown.ts";
import type { Shown, Strategy, Terms } from "./strategy.ts";

/** What the later needs of a session found, in probes; costs in the price of a plain input token. */
export type Probed = {
  readonly visible: number;
  readonly recalled: number;
  readonly lost: number;
  /** Not visible, and its source stood before the recorded context began anew. */
  readonly acrossCompaction: number;
  /** Its source came with the answer that uses it, and nothing earlier holds the string: nobody can have read it there. */
  readonly unseen: number;
  /** The call that uses it is none of the replayed ones. */
  readonly unplaced: number;
  readonly extraSteps: number;
  readonly recallCost: number;
};

/** `block.callId`: the call whose result it is from. */
export type Recalled = { readonly block: Block; readonly steps: number };

type Probing = {
  /** Looks for all an answer's calls need; gives what had to be recalled before it. */
  readonly ask: (call: RecordedCall, live: readonly Block[], shown: readonly Shown[]) => readonly Recalled[];
  readonly total: () => Probed;
};

export function newProbing(probes: readonly Probe[], terms: Terms, takesAway?: Strategy["takesAway"]): Probing {
  const waiting = Map.groupBy(probes, ({ callId }) => callId);
  const placed = new Set<string>();
  const results = new Map<string, Block>();
  const counts = { visible: 0, recalled: 0, lost: 0, acrossCompaction: 0, unseen: 0, extraSteps: 0, recallCost: 0 };
  let recalledBefore = 0;

  const ask: Probing["ask"] = ({ restart, before, answer }, live, shown) => {
    for (const block of [...(restart?.kept ?? []), ...before]) {
      if (block.kind === "tool-result" && block.callId !== null) results.set(block.callId, block);
    }
    const brought: Recalled[] = [];
    for (const { kind, callId, text } of answer) {
      if (kind !== "tool-call" || callId === null || placed.has(callId)) continue;
      placed.add(callId);
      for (const probe of waiting.get(callId) ?? []) askFor(probe, text, { live, shown, brought });
    }
    return brought;
  };

  const askFor = (probe: Probe, input: string, prompt: Prompt) => {
    const source = sourceOf(probe, results);
    if (source === null) counts.unseen++;
    else if (isVisible(probe.text, prompt)) counts.visible++;
    else {
      const covered = covering(source.callId, prompt.shown);
      if (covered !== null) recall(probe, input, { source, steps: covered > 1 ? 2 : 1 }, prompt);
      else if (prompt.live.includes(source)) {
        counts.lost++;
        if (takesAway === "without-handle") charge(source.text, 1, source, prompt);
      } else counts.acrossCompaction++;
    }
  };

  const recall = (
    probe: Probe,
    input: string,
    { source, steps }: { readonly source: Block; readonly steps: number },
    prompt: Prompt,
  ) => {
    counts.recalled++;
    const first = recalledText(source.text, input, (text) => isVisible(text, prompt));
    charge(first, steps, source, prompt);
    if (!first.includes(probe.text)) charge(recalledFor(source.text, probe.text), 1, source, prompt);
  };

  const charge = (text: string, steps: number, source: Block, { shown, brought }: Prompt) => {
    const { read, write, output } = terms.prices;
    const promptTokens =
      terms.headTokens +
      tokensIn(shown) +
      tokensIn(brought.map(({ block }) => ({ tokens: terms.tokensOf(block.text) })));
    counts.extraSteps += steps;
    counts.recallCost += steps * (promptTokens * read + recallOutputTokens * output) + terms.tokensOf(text) * write;
    // Ids of recorded blocks count from 0.
    const handle = terms.handleOf(source.text);
    const named = text.includes(handle) ? { handle } : {};
    brought.push({ block: { ...source, id: -++recalledBefore, kind: "recalled", text, ...named }, steps });
  };

  const unplaced = () => probes.filter(({ callId }) => !placed.has(callId)).length;
  return { ask, total: () => ({ ...counts, unplaced: unplaced() }) };
}

/** What a model writes to ask for a recall. */
const recallOutputTokens = 150;

type Prompt = { readonly live: readonly Block[]; readonly shown: readonly Shown[]; readonly brought: Recalled[] };

/** The recorded source, or where that came too late to be read, the newest result before that holds the string. */
function sourceOf(probe: Probe, results: ReadonlyMap<string, Block>): Block | null {
  const named = results.get(probe.source);
  if (named !== undefined) return named;
  return [...results.values()].findLast(({ text }) => text.includes(probe.text)) ?? null;
}

function isVisible(text: string, { shown, brought }: Prompt): boolean {
  // What is needed is mostly new.
  return (
    shown.findLast((one) => one.text?.includes(text)) !== undefined ||
    brought.some(({ block }) => block.text.includes(text))
  );
}

/** How many results the narrowest handle in sight that leads to this one brings back; null: none does. */
function covering(callId: string | null, shown: readonly Shown[]): number | null {
  if (callId === null) return null;
  const counts = shown.flatMap(({ text, handles }) =>
    handles.flatMap(({ handle, callIds }) =>
      callIds.includes(callId) && text?.includes(handle) === true ? [callIds.length] : [],
    ),
  );
  return counts.length === 0 ? null : Math.min(...counts);
}
