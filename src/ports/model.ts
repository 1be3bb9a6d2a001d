import type { Wire } from "../kernel/usage.ts";

/** A request as it will leave the socket. The transport adds address, key and its own headers, never a body byte. */
export type WireRequest = {
  readonly wire: Wire;
  /** Where the service wants the model in the address and its body does not name it (Gemini). */
  readonly model?: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What came back: the provider's parsed stream events, or a failure with all that was received. */
export type WireEvent =
  | { readonly type: "event"; readonly data: unknown }
  | {
      readonly type: "http-error";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Parsed JSON where it was JSON, else the text, cut to `bounds.errorCharsMax`. */
      readonly body: unknown;
    }
  | { readonly type: "network-error"; readonly message: string; readonly timedOut: boolean };

/**
 * One attempt at one request: no retries of its own. Ends after the last event; a failure is an event, never a throw.
 * When the signal aborts, it ends at once.
 */
export interface Model {
  stream(request: WireRequest, signal: AbortSignal): AsyncIterable<WireEvent>;
}
