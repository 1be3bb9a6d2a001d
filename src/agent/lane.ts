import type { RequestId } from "../kernel/ids.ts";
import type { LedgerMemo } from "../ledger/ledger.ts";
import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Head } from "../prompt/render.ts";
import type { Segment } from "../prompt/segment.ts";
import type { AgentConfig, SessionEvent } from "./config.ts";
import type { Effects } from "./effects.ts";
import type { Prompt } from "./prompt.ts";
import type { TextCache } from "./texts.ts";

/** What the performers of effects share: read access to the lane's state, and nothing of it to write. */
export type Lane = {
  readonly config: AgentConfig;
  readonly fx: Effects;
  readonly texts: TextCache;
  state(): State;
  /** The ledger so far: what was measured of which segment. */
  ledger(): LedgerMemo;
  /** The head of the open epoch. Throws where it is lost (`hasHead`). */
  head(): Head;
  hasHead(): boolean;
  /** The next step request as it would be sent now; rendered once per state. */
  prompt(): Prompt;
  /** The segments of requests whose intents are about to be written, by request. */
  readonly outgoing: Map<RequestId, readonly Segment[]>;
  /** Appends in mid-effect: an intent that is only known once the effect is under way. */
  record(entries: readonly EntryBody[]): Promise<unknown>;
  emit(event: SessionEvent): void;
};
