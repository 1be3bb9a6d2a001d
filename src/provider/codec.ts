import type { Usage, Wire } from "../kernel/usage.ts";
import type { AssistantBlock } from "../log/block.ts";
import type { Failure, StopReason } from "../log/entry.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import type { WireEvent, WireRequest } from "../ports/model.ts";
import type { Doc } from "../prompt/doc.ts";
import type { Segment } from "../prompt/segment.ts";

/** A cache marker on the segment with that index. */
export type Mark = { readonly segment: number; readonly ttl: "5m" | "1h" };

/** What a stream says as it arrives, for the screen; the whole comes from `end()`. */
export type Delta =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call-start"; readonly tool: string };

export type Received = {
  readonly type: "received";
  readonly messageId: string;
  readonly model: string;
  /**
   * Every call has a non-empty id that is unique in the message (CASES C-023). `wire` agrees with it, but on Gemini, where a
   * call goes back as it came and its answer repeats what stands there.
   */
  readonly blocks: readonly AssistantBlock[];
  readonly stop: StopReason;
  readonly usage: Usage | null;
  /** Cache diagnostics, dropped blocks and the like, as received (JSON text). */
  readonly report: string | null;
  /** Left out: the model read all that was sent, as far as the provider says. */
  readonly cleared?: ClearedByProvider;
};

export interface StreamDecoder {
  push(event: WireEvent): readonly Delta[];
  /** After the last event. `partial` is the text shown so far. */
  end(): Received | { readonly type: "failed"; readonly failure: Failure; readonly partial: string };
}

export type MarkRequest = {
  readonly model: string;
  /** Segments marked in the request before. */
  readonly previous: readonly number[];
  /** Slots that somebody else uses. */
  readonly taken: number;
  /** How many of the first segments are equal across sessions (tools and `global` sections); left out: the tools. */
  readonly globalSegments?: number;
  /** The last segment the service has cleared by itself: what is behind it may change, and nothing in front of it does. */
  readonly cleared?: number;
};

export type Abilities = {
  /** Text on the system side between other messages; else it stands on the user's side as a reminder. */
  readonly systemMessages: boolean;
  /** A new effort from a place in the conversation on; else it is a named break. */
  readonly effortUpdates: boolean;
  /** Clears results of tools by itself, where a request asks for it (PROTOCOLS A.4). Left out: it has nothing of the kind. */
  readonly clearsResults?: true;
  /**
   * Takes definitions of tools with the result of a search for them (PROTOCOLS A.7, B.5), so that no declared tool moves. Left
   * out: it does not, and the search's own words show them.
   */
  readonly revealsTools?: true;
  /** Sums a conversation up by itself, where a request asks for it (PROTOCOLS A.5, B.4). Left out: it does not. */
  readonly sumsUp?: true;
};

/** One per wire: everything that is particular to a provider's syntax. All of it is pure. */
export interface Codec {
  readonly wire: Wire;
  encode(doc: Doc, marks: readonly Mark[]): WireRequest;
  /** The document's segments without building a body; equal to `segments(encode(doc, any).body)` but for spans. */
  segmentsOfDoc(doc: Doc): readonly Segment[];
  /** Cuts a request body, ours or a foreign one. Throws `BodyError` naming the path where it is no request. */
  segments(body: Uint8Array): readonly Segment[];
  /**
   * Model, effort, thinking, tool choice, key: all of the cache key that is not text. `model` is what the request's address
   * names, for wires whose bodies do not (`WireRequest.model`; a proxy knows it from the path); the others read it in the body.
   */
  cacheKeyOf(body: Uint8Array, model?: string): string;
  cacheKeyOfDoc(doc: Doc): string;
  /** A foreign request as a document, lenient; what it cannot say is kept opaque. `model` as in `cacheKeyOf`. */
  decodeForeign(body: Uint8Array, model?: string): Doc;
  /**
   * Where the markers go, given those of the request before: sticky, at most 4 less `taken`, one within the look-back of
   * the last (PROTOCOLS A.2, B.2, CASES C-033 to C-039). Wires and models without markers return none.
   */
  placeMarks(segments: readonly Segment[], where: MarkRequest): readonly Mark[];
  /** What a model takes in mid-conversation, so that things change without moving what was sent (PROTOCOLS A.6, B.3). */
  abilities(model: string): Abilities;
  /**
   * `newToken` makes ids for calls that came without one, or whose id is already used; `isTaken` knows the ids of earlier
   * messages (some servers count from 0 in every response).
   */
  decoder(newToken: () => string, isTaken?: (id: string) => boolean): StreamDecoder;
}
