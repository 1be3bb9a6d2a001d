import { bounds } from "../kernel/bounds.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { Model, WireEvent, WireRequest } from "../ports/model.ts";
import type { Clock } from "../ports/world.ts";

/**
 * A model's events under watch, whatever the model is made of: silence ends the attempt after a limit, a throw is a
 * failure like any other, and a stream that ignores the signal is left alone after the same limit as any effect.
 */
export async function* watched(
  model: Model,
  request: WireRequest,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<WireEvent> {
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const heard = { at: clock.now() };
  const done = new AbortController();
  const silence = silent(heard, clock, done.signal);
  const given = givenUp(own.signal, clock, done.signal);
  try {
    const events = model.stream(request, own.signal)[Symbol.asyncIterator]();
    for (;;) {
      const next = events.next();
      const first = await Promise.race([next, silence, given]);
      if (first === "silent") {
        yield { type: "network-error", message: `no event for ${bounds.streamIdleMsMax} ms`, timedOut: true };
        return;
      }
      if (first === "given-up" || first.done) return;
      heard.at = clock.now();
      if (first.value.type === "event" && isTooDeep(first.value.data)) {
        yield { type: "network-error", message: `an event of the stream is ${tooDeep}`, timedOut: false };
        return;
      }
      yield first.value;
    }
  } catch (error) {
    const message = `the model's stream broke: ${error instanceof Error ? error.message : String(error)}`;
    yield { type: "network-error", message, timedOut: false };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    done.abort();
  }
}

async function silent(heard: { at: number }, clock: Clock, done: AbortSignal): Promise<"silent"> {
  for (;;) {
    // A clock that was put back must not make silence longer.
    heard.at = Math.min(heard.at, clock.now());
    const left = heard.at + bounds.streamIdleMsMax - clock.now();
    if (left <= 0) return "silent";
    await clock.sleep(left, done);
    if (done.aborted) return "silent";
  }
}

async function givenUp(signal: AbortSignal, clock: Clock, done: AbortSignal): Promise<"given-up"> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await clock.sleep(bounds.abandonMsMax, done);
  return "given-up";
}
