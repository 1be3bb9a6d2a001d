import type { Count, Price } from "./recompute-cost.ts";
import type { Probe } from "./recompute-data.ts";

/** A line of a trace (METRICS 1). */
export type TraceLine = {
  readonly strategy: string;
  readonly session: string;
  readonly call: number;
  readonly at: number | null;
  readonly callIds: readonly string[];
  readonly keep: number;
  readonly add: readonly Segment[];
  readonly recalled?: readonly { readonly callId: string; readonly steps: number; readonly text: string }[];
  readonly calls?: readonly {
    readonly readTokens: number;
    readonly writeTokens: number;
    readonly outputTokens: number;
  }[];
  readonly reasoningTokensLost?: number;
};

type Segment = {
  readonly kind: string;
  readonly callId?: string;
  readonly text?: string;
  readonly tokens?: number;
  readonly handles?: readonly { readonly handle: string; readonly callIds: readonly string[] }[];
};

type Given = { readonly price: Price; readonly count: Count };

/** Follows one session under one strategy, line by line. */
export function newTraceReader(
  probes: readonly Probe[],
  originals: ReadonlyMap<string, readonly string[]>,
  { price, count }: Given,
) {
  let prompt: readonly Segment[] = [];
  let at: number | null = null;
  let next = 0;
  const made: string[] = [];
  const asked = new Set<string>();
  const size = (segments: readonly Segment[]) =>
    segments.reduce((sum, { text, tokens }) => sum + (text === undefined ? (tokens ?? 0) : count(text)), 0);
  return (line: TraceLine) => {
    const faults = [...faultsOf(line, prompt, next), ...line.add.flatMap((segment) => hidden(segment, originals))];
    const kept = prompt.slice(0, line.keep);
    prompt = [...kept, ...line.add];
    const isCold = price.lifetimeMs !== null && at !== null && line.at !== null && line.at - at > price.lifetimeMs;
    const read = isCold ? 0 : size(kept);
    const whole = size(prompt);
    const own = (line.calls ?? []).reduce(
      (sum, one) => sum + one.readTokens * price.read + one.writeTokens * price.write + one.outputTokens * price.output,
      0,
    );
    const needed = line.callIds.flatMap((id) => {
      const first = asked.has(id) ? [] : probes.filter(({ call }) => call === id);
      asked.add(id);
      return first;
    });
    const search = newSearch(prompt, line.recalled ?? []);
    const found = needed.map((probe) => search(withSource(probe, made, originals)));
    const recalls = recallCost(line, whole, { price, count });
    made.push(...line.callIds);
    at = line.at;
    next = line.call + 1;
    return {
      calls: 1,
      cost:
        read * price.read +
        (whole - read) * price.write +
        recalls +
        own +
        (line.reasoningTokensLost ?? 0) * price.write,
      visible: found.filter((how) => how === "visible").length,
      recalled: found.filter((how) => how === "recalled").length,
      unreachable: found.filter((how) => how === "unreachable").length,
      extraSteps: (line.recalled ?? []).reduce((sum, { steps }) => sum + steps, 0),
      faults,
    };
  };
}

function faultsOf(line: TraceLine, prompt: readonly Segment[], next: number): readonly string[] {
  const where = `${line.session} call ${line.call}`;
  return [
    ...(line.call === next ? [] : [`${where}: expected call ${next}`]),
    ...(line.keep <= prompt.length ? [] : [`${where}: keeps ${line.keep} of ${prompt.length} segments`]),
    ...((line.keep > 0 ? prompt : line.add)[0]?.kind === "head" ? [] : [`${where}: segment 0 is no head`]),
  ];
}

/** A result that is not whole and names no handle for itself. */
function hidden({ kind, callId, text, handles }: Segment, originals: ReadonlyMap<string, readonly string[]>) {
  if (kind !== "tool-result" || callId === undefined || handles !== undefined) return [];
  const known = originals.get(callId);
  if (known === undefined || known.some((original) => original === text)) return [];
  return [`${callId}: the result shown is not the recorded one, and names no handle`];
}

/** Probes in their order: what was brought back for one is in sight of those behind it. */
function newSearch(
  prompt: readonly Segment[],
  recalled: readonly { readonly callId: string; readonly text: string }[],
) {
  let used = 0;
  return (probe: Probe | null): "unseen" | "visible" | "recalled" | "unreachable" => {
    if (probe === null) return "unseen";
    const holds = ({ text }: { readonly text?: string }) => text?.includes(probe.text) === true;
    if (prompt.some(holds) || recalled.slice(0, used).some(holds)) return "visible";
    const brought = recalled.findIndex((one, at) => at >= used && one.callId === probe.src && holds(one));
    if (brought < 0) return "unreachable";
    used = brought + 1;
    // Brought back without a handle: the tool had to run again for what was lost.
    return isCovered(prompt, probe.src) ? "recalled" : "unreachable";
  };
}

function isCovered(prompt: readonly Segment[], source: string): boolean {
  return prompt.some(({ text = "", handles = [] }) =>
    handles.some(({ handle, callIds }) => callIds.includes(source) && text.includes(handle)),
  );
}

/** A source of the same answer cannot have been read: then an earlier result that holds the string is it, or nothing. */
function withSource(
  probe: Probe,
  made: readonly string[],
  originals: ReadonlyMap<string, readonly string[]>,
): Probe | null {
  if (made.includes(probe.src)) return probe;
  const src = made.findLast((id) => originals.get(id)?.some((text) => text.includes(probe.text)));
  return src === undefined ? null : { ...probe, src };
}

function recallCost(line: TraceLine, whole: number, { price, count }: Given): number {
  let cost = 0;
  let prompt = whole;
  for (const { steps, text } of line.recalled ?? []) {
    cost += steps * (prompt * price.read + 150 * price.output) + count(text) * price.write;
    prompt += count(text);
  }
  return cost;
}
