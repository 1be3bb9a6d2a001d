import type { RequestId, SessionId } from "../kernel/ids.ts";

/** Time, in ms since 1970; `sleep` ends early, without an error, when the signal aborts. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  session(): SessionId;
  request(): RequestId;
  /** Random `[a-z0-9]` text of that length, for call ids a provider left out and the like. */
  token(length: number): string;
  /** In [0, 1): for jitter. */
  random(): number;
}
