import { nullable, number, shape, string, words } from "./codec-check.ts";
import type { Failure, FailureClass, StopReason } from "./entry.ts";

export const failure = shape<Failure>({
  class: words<FailureClass>({
    overflow: true,
    "rate-limited": true,
    overloaded: true,
    server: true,
    network: true,
    "broken-stream": true,
    timeout: true,
    "bad-request": true,
    auth: true,
    billing: true,
    "not-found": true,
    binding: true,
    refused: true,
    interrupted: true,
  }),
  status: nullable(number),
  message: string,
  retryAfterMs: nullable(number),
  promptTokens: nullable(number),
  limitTokens: nullable(number),
});

export const stop = words<StopReason>({
  "end-turn": true,
  "tool-use": true,
  "output-limit": true,
  "window-exceeded": true,
  refusal: true,
  pause: true,
  "stop-sequence": true,
  unknown: true,
});
