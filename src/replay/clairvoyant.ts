import { stubText } from "./plain.ts";
import type { Block, RecordedCall } from "./recording.ts";
import { whole } from "./shown.ts";
import type { Moment, SessionFacts, Shown, Strategy, Terms } from "./strategy.ts";

/** The best that was found with hindsight: each knows every later need. Greedy, so no proven floor (METRICS 1). */
export const clairvoyants: readonly Strategy[] = [
  clairvoyant("clairvoyant-clear", { clear: "after-last-use", forms: "whole" }),
  clairvoyant("clairvoyant-forms", { clear: "never", forms: "needed-lines" }),
  clairvoyant("clairvoyant", { clear: "after-last-use", forms: "needed-lines" }),
];

type Ways = { readonly clear: "after-last-use" | "never"; readonly forms: "needed-lines" | "whole" };

type Part = { readonly shown: Shown; readonly stub: Shown | null; readonly lastUse: number };

function clairvoyant(name: string, ways: Ways): Strategy {
  return {
    name,
    open: (terms, session) => {
      const future = futureOf(session, terms);
      const parts = new Map<number, Part>();
      let sent = 0;
      return (moment) => {
        for (const block of moment.blocks) {
          if (!parts.has(block.id)) parts.set(block.id, partOf(block, moment.n, { future, terms, ways }));
        }
        const live = moment.blocks.map(({ id }) => ({ id, part: parts.get(id) })).flatMap(present);
        if (moment.restarted) sent = 0;
        const cleared = ways.clear === "never" ? [] : worthClearing(live, { sent, moment, future, terms });
        for (const { id, part } of cleared) {
          if (part.stub !== null) parts.set(id, { ...part, shown: part.stub, stub: null });
        }
        sent = moment.blocks.length;
        return {
          shown: moment.blocks.flatMap(({ id }) => parts.get(id)?.shown ?? []),
          break: cleared.length > 0 && !moment.restarted ? "cleared" : null,
          calls: [],
          reasoningTokensLost: 0,
        };
      };
    },
  };
}

type Placed = { readonly id: number; readonly part: Part };

function present({ id, part }: { readonly id: number; readonly part: Part | undefined }): readonly Placed[] {
  return part === undefined ? [] : [{ id, part }];
}

type Knowing = { readonly future: Future; readonly terms: Terms };

/** `n`: the call that sees it first; before that none may take it away. */
function partOf(block: Block, n: number, { future, terms, ways }: Knowing & { readonly ways: Ways }): Part {
  const shown = whole(block, terms.tokensOf);
  const { callId, kind, text } = block;
  if (callId === null || (kind !== "tool-result" && kind !== "recalled")) return { shown, stub: null, lastUse: n };
  const handle = terms.handleOf(text);
  const withHandle = (form: string): Shown => {
    return { ...shown, text: form, tokens: terms.tokensOf(form), handles: [{ handle, callIds: [callId] }] };
  };
  const stub = withHandle(stubText(handle));
  const uses = future.usesOf.get(callId) ?? [];
  const lastUse = Math.max(n, ...uses.map((use) => use.n));
  const needed = withHandle([...neededLines(text, uses), stubText(handle)].join("\n"));
  const first = ways.forms === "needed-lines" && needed.tokens < shown.tokens ? needed : shown;
  return { shown: first, stub: first.tokens > 2 * stub.tokens ? stub : null, lastUse };
}

/** Each whole line that holds a needed string; of a line without end, what stands around it. */
function neededLines(text: string, uses: readonly Use[]): ReadonlySet<string> {
  return new Set(
    uses.flatMap((use): readonly string[] => {
      const at = text.indexOf(use.text);
      if (at === -1) return [];
      const end = at + use.text.length;
      const from = text.lastIndexOf("\n", at) + 1;
      const to = text.indexOf("\n", end);
      const line = [Math.max(from, at - aroundCharsMax), Math.min(to === -1 ? text.length : to, end + aroundCharsMax)];
      return [text.slice(line[0], line[1])];
    }),
  );
}

const aroundCharsMax = 200;

type Clearing = Knowing & { readonly sent: number; readonly moment: Moment };

/**
 * Of what is never needed again, the newest part of it that gains most: what it would cost at all later calls against
 * writing again what was sent behind it. A cold cache is written anyway.
 */
function worthClearing(live: readonly Placed[], { sent, moment, future, terms }: Clearing): readonly Placed[] {
  const { read, write } = terms.prices;
  const rewrite = future.isCold(moment.n) ? 0 : write - read;
  const rent = future.rentFrom(moment.n);
  let saved = 0;
  let behind = 0;
  let best: { readonly gain: number; readonly from: number } = { gain: 0, from: live.length };
  for (let at = live.length - 1; at >= 0; at--) {
    const part = live[at]?.part;
    if (part === undefined) continue;
    const isFree = isSpent(part, moment.n);
    if (at < sent) behind += isFree ? (part.stub?.tokens ?? 0) : part.shown.tokens;
    if (!isFree) continue;
    saved += part.shown.tokens - (part.stub?.tokens ?? 0);
    const gain = rent * saved - rewrite * behind;
    if (gain > best.gain) best = { gain, from: at };
  }
  return live.filter(({ part }, at) => at >= best.from && isSpent(part, moment.n));
}

function isSpent(part: Part, n: number): boolean {
  return part.stub !== null && part.lastUse < n;
}

type Use = { readonly n: number; readonly text: string };

type Future = {
  /** By the call whose result holds what is needed. */
  readonly usesOf: ReadonlyMap<string, readonly Use[]>;
  readonly isCold: (n: number) => boolean;
  /** What one token costs from this call on, until the context begins anew. */
  readonly rentFrom: (n: number) => number;
};

function futureOf({ calls, probes }: SessionFacts, { prices, lifetimeMs }: Terms): Future {
  const callOf = new Map(calls.flatMap(({ n, answer }) => answer.map(({ callId }) => [callId, n] as const)));
  const uses = probes.flatMap(({ callId, text, source }) => {
    const n = callOf.get(callId);
    return n === undefined ? [] : [{ n, text, source }];
  });
  const cold = new Set(calls.flatMap((call, at) => (isCold(call, calls[at - 1], lifetimeMs) ? [call.n] : [])));
  const rents = new Map<number, number>();
  let rent = 0;
  for (const { n, restart } of calls.toReversed()) {
    rent += cold.has(n) ? prices.write : prices.read;
    rents.set(n, rent);
    if (restart !== null) rent = 0;
  }
  return {
    usesOf: Map.groupBy(uses, ({ source }) => source),
    isCold: (n) => cold.has(n),
    rentFrom: (n) => rents.get(n) ?? 0,
  };
}

function isCold(call: RecordedCall, before: RecordedCall | undefined, lifetimeMs: number | null): boolean {
  if (before === undefined) return true;
  return lifetimeMs !== null && call.at !== null && before.at !== null && call.at - before.at > lifetimeMs;
}
