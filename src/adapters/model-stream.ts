import { isRecord } from "../kernel/canonical.ts";
import type { Model, WireEvent, WireRequest } from "../ports/model.ts";
import { modelFetch, withoutKey, withoutKeyIn } from "./model-fetch.ts";

/** Sends one request over an SDK and gives back the parsed events. Throws what the SDK throws. */
export type Open = (call: {
  readonly request: WireRequest;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}) => Promise<AsyncIterable<unknown>>;

type Options = {
  readonly open: Open;
  readonly apiKey: string;
  /** How the key is sent. Nothing is, where there is no key. */
  readonly keyHeader: (apiKey: string) => Readonly<Record<string, string>>;
  /** ms without an event after which the attempt is given up. */
  readonly idleMsMax: number;
  /** ms and bytes after which it is given up although events still come. */
  readonly msMax: number;
  readonly bytesMax: number;
};

/** A `Model` over an SDK: every failure becomes an event, an abort ends the stream at once, silence or no end end it in time. */
export function modelOver({ open, apiKey, keyHeader, idleMsMax, msMax, bytesMax }: Options): Model {
  return {
    async *stream(request, signal) {
      if (signal.aborted) return;
      const headers = { ...request.headers, ...(apiKey === "" ? {} : keyHeader(apiKey)) };
      const transport = modelFetch({ headers, apiKey, bytesMax, expects: "events" });
      const attempt = attemptOf(signal, idleMsMax, msMax);
      try {
        const opened = await attempt.wait(open({ request, fetch: transport.fetch, signal: attempt.signal }));
        const events = opened?.[Symbol.asyncIterator]();
        for (;;) {
          const next = await attempt.wait(events?.next());
          if (next === undefined || next.done === true) break;
          yield { type: "event", data: isErrorEvent(next.value) ? withoutKeyIn(next.value, apiKey) : next.value };
        }
      } catch (error) {
        if (!signal.aborted && attempt.late() === null) yield transport.refused() ?? eventOf(error, apiKey);
      } finally {
        attempt.end();
      }
      const late = attempt.late();
      if (late !== null) yield { type: "network-error", message: late, timedOut: true };
    },
  };
}

type Attempt = {
  readonly signal: AbortSignal;
  /** Why it was given up: too long silent, or too long altogether. */
  late(): string | null;
  /** The value, or undefined when the attempt was aborted or nothing came in time; the work itself is then stopped. */
  wait<T>(work: Promise<T> | undefined): Promise<T | undefined>;
  end(): void;
};

function attemptOf(outer: AbortSignal, idleMsMax: number, msMax: number): Attempt {
  const controller = new AbortController();
  let late: string | null = null;
  const stop = () => controller.abort();
  const giveUp = (why: string) => () => {
    late ??= why;
    stop();
  };
  const whole = setTimeout(giveUp(`the response did not end within ${msMax} ms`), msMax);
  outer.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    late: () => late,
    async wait(work) {
      if (work === undefined || controller.signal.aborted) return undefined;
      const stopped = Promise.withResolvers<undefined>();
      const give = () => stopped.resolve(undefined);
      const timer = setTimeout(giveUp(`no event for ${idleMsMax} ms`), idleMsMax);
      controller.signal.addEventListener("abort", give, { once: true });
      // When the abort wins, the work fails later with that same abort; settling it here keeps it from going unhandled.
      void Promise.allSettled([work]);
      try {
        return await Promise.race([work, stopped.promise]);
      } finally {
        clearTimeout(timer);
        controller.signal.removeEventListener("abort", give);
      }
    },
    end() {
      clearTimeout(whole);
      outer.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}

/** What a server says of a key that it refuses comes as an error, and errors are logged and shown. */
export function isErrorEvent(event: unknown): boolean {
  if (!isRecord(event)) return false;
  return (
    event.type === "error" || event.type === "response.failed" || (event.error !== undefined && event.error !== null)
  );
}

function eventOf(error: unknown, apiKey: string): WireEvent {
  // An error object inside the stream: the SDK throws it, the decoder classifies it.
  if (isRecord(error) && error.status === undefined && isRecord(error.error)) {
    return { type: "event", data: { type: "error", error: withoutKeyIn(error.error, apiKey) } };
  }
  const message = withoutKey(
    messagesOf(error)
      .map((text) => text.replace(/\.$/, ""))
      .join(": "),
    apiKey,
  );
  return { type: "network-error", message, timedOut: /timed? ?out|ETIMEDOUT/i.test(message) };
}

/** The SDKs say "Connection error."; what happened stands in the causes. */
function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return [`${error.message}${code}`, ...(error.cause === undefined ? [] : messagesOf(error.cause))];
}
