import type { State } from "../log/state.ts";
import type { WireRequest } from "../ports/model.ts";
import { legalCallId } from "../provider/anthropic/call-id.ts";
import type { Delta, StreamDecoder } from "../provider/codec.ts";
import type { Lane } from "./lane.ts";
import { watched } from "./watched.ts";

export type Streamed = {
  readonly result: ReturnType<StreamDecoder["end"]>;
  /** null: nothing was said. */
  readonly firstTokenMs: number | null;
};

/** Sends a request and takes its answer to the end, or to where the signal fired. */
export async function streamed(
  wire: WireRequest,
  { fx, config, state }: Lane,
  signal: AbortSignal,
  emit: (delta: Delta) => void,
): Promise<Streamed> {
  const sentAt = fx.clock.now();
  let firstTokenMs: number | null = null;
  const taken = callIdsOf(state());
  const decoder = config.codecFor(wire.wire).decoder(
    () => `call_${fx.ids.token(12)}`,
    (id) => taken.has(legalCallId(id)),
  );
  for await (const event of watched(fx.model, wire, fx.clock, signal)) {
    if (signal.aborted) break;
    for (const delta of decoder.push(event)) {
      firstTokenMs ??= Math.max(0, fx.clock.now() - sentAt);
      emit(delta);
    }
  }
  return { result: decoder.end(), firstTokenMs };
}

/**
 * Some servers count their call ids from 0 in every answer; in one conversation an id stands for one call. Compared as the
 * stricter wire writes them, so that they stay apart whichever wire the session goes on with.
 */
function callIdsOf(state: State): ReadonlySet<string> {
  return new Set(state.live.flatMap(({ block }) => (block.type === "tool-call" ? [legalCallId(block.callId)] : [])));
}
