import type { RequestId } from "../kernel/ids.ts";
import { emptyLedger, type LedgerMemo, readEntry } from "../ledger/ledger.ts";
import type { Entry, EntryBody, EntryOf } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import { headTokensOf, type State } from "../log/state.ts";
import type { AppendResult } from "../ports/store.ts";
import type { Head } from "../prompt/render.ts";
import type { Segment } from "../prompt/segment.ts";
import { notedOf } from "../reduction/segment-tokens.ts";
import { isThereAlready } from "./attach.ts";
import type { Effects } from "./effects.ts";
import { blobsWanted, headOf } from "./head.ts";
import type { TextCache } from "./texts.ts";

/** What a lane is when it is opened: what its log says, and what was found while reading it. */
export type Opened = {
  readonly state: State;
  readonly head: Head | null;
  readonly rendererChanged: boolean;
  readonly damaged: boolean;
  readonly texts: TextCache;
};

/** The one writer of a lane's log, and what follows from each append: state, head, ledger. */
export type Writer = {
  state(): State;
  /** null: no epoch is open, or its stored head cannot be read. */
  head(): Head | null;
  ledger(): LedgerMemo;
  rendererChanged(): boolean;
  /** Why nothing can be written any more: somebody else writes this log. */
  fault(): Error | null;
  /** Entries in order of arrival, each call whole. False: `onlyAt` was given, and the log has moved on since. */
  append(entries: readonly EntryBody[], onlyAt?: number | null): Promise<boolean>;
};

export type WriterEvents = {
  entry(entry: Entry): void;
  fault(): void;
  /** The segments of a request whose intent was just written; asked for once. */
  sending(request: RequestId): readonly Segment[];
};

export function createWriter(fx: Effects, opened: Opened, on: WriterEvents): Writer {
  let { state, head, rendererChanged } = opened;
  let ledger: LedgerMemo = { ...emptyLedger, model: opened.state.epoch?.model ?? null };
  let fault: Error | null = null;
  let writing: Promise<unknown> = Promise.resolve();

  return {
    state: () => state,
    head: () => head,
    ledger: () => ledger,
    rendererChanged: () => rendererChanged,
    fault: () => fault,
    append(entries, onlyAt = null) {
      const mine = writing.then(() => appendNow(entries, onlyAt));
      writing = mine.catch(() => {});
      return mine;
    },
  };

  async function appendNow(entries: readonly EntryBody[], onlyAt: number | null): Promise<boolean> {
    if (fault !== null) throw fault;
    if (onlyAt !== null && onlyAt !== state.seq) return false;
    const news = entries.filter((entry) => !isThereAlready(entry, state));
    if (news.length === 0 && entries.length > 0) return true;
    const result = await fx.append(state.seq, news);
    if (result.type !== "appended") throw failed(result);
    for (const entry of result.entries) take(entry);
    if (result.entries.some(({ type }) => type === "epoch-opened")) await openHead();
    for (const entry of result.entries) on.entry(entry);
    return true;
  }

  function take(entry: Entry): void {
    state = reduce(state, entry);
    const segmentsOf = ({ request }: EntryOf<"request-sent">) => notedOf(on.sending(request));
    const context = { segmentsOf, headTokens: headTokensOf(state), lifetime: "5m", prices: {} } as const;
    ledger = readEntry(ledger, entry, context).memo;
  }

  async function openHead(): Promise<void> {
    if (state.epoch === null) return;
    head = await headOf(state, opened.texts);
    rendererChanged = false;
    opened.texts.prune(blobsWanted(state));
  }

  /** Somebody else writes this log: nothing of ours can follow. A refused append left nothing behind and may be tried again. */
  function failed(result: Exclude<AppendResult, { readonly type: "appended" }>): Error {
    const error = new Error(failedWords(result));
    if (result.type !== "refused") {
      fault = error;
      on.fault();
    }
    return error;
  }
}

function failedWords(result: Exclude<AppendResult, { readonly type: "appended" }>): string {
  if (result.type === "conflict") return "another process wrote to this session: open it again to see its entries";
  if (result.type === "fenced")
    return "this process lost the session's lease to a later one and must not write any more";
  return `the session could not be saved: ${result.why}`;
}
