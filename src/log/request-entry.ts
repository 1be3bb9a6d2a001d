import type { Hash, RequestId } from "../kernel/ids.ts";
import type { Usage, Wire } from "../kernel/usage.ts";
import type { AssistantBlock, Text } from "./block.ts";
import type { ClearedByProvider } from "./provider-clearing.ts";

export type FailureClass =
  | "overflow"
  | "rate-limited"
  | "overloaded"
  | "server"
  | "network"
  | "broken-stream"
  | "timeout"
  | "bad-request"
  | "auth"
  | "billing"
  | "not-found"
  | "binding"
  | "refused"
  | "interrupted";

/** A provider's or the network's failure, classified (PROTOCOLS A.10, B.6). `message` is the provider's own, cut to `bounds.errorCharsMax`. */
export type Failure = {
  readonly class: FailureClass;
  readonly status: number | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** For `overflow`: the two numbers, where the error names them. */
  readonly promptTokens: number | null;
  readonly limitTokens: number | null;
};

export type StopReason =
  | "end-turn"
  | "tool-use"
  | "output-limit"
  | "window-exceeded"
  | "refusal"
  | "pause"
  | "stop-sequence"
  | "unknown";

export type RequestEntry =
  /** The intent. Its pieces are from here on part of the prompt, whatever becomes of the request. */
  | {
      readonly type: "request-sent";
      readonly request: RequestId;
      readonly purpose: "step" | "side";
      readonly attempt: number;
      readonly segments: number;
      /** Chain hash of the last segment, so that a changed renderer is noticed (DESIGN 2). */
      readonly chain: Hash;
      readonly cacheKey: string;
      /** Segment indexes that carry a cache marker. */
      readonly marks: readonly number[];
      readonly predicted: {
        readonly promptTokens: number;
        readonly marginTokens: number;
        readonly cacheReadTokens: number;
        readonly cacheWriteTokens: number;
      };
    }
  | {
      readonly type: "response-received";
      readonly request: RequestId;
      readonly wire: Wire;
      readonly model: string;
      readonly messageId: string;
      readonly blocks: readonly AssistantBlock[];
      readonly stop: StopReason;
      /** null: the provider reported none. */
      readonly usage: Usage | null;
      readonly firstTokenMs: number | null;
      /** What the provider said of the cache or of dropped blocks, as received (JSON). */
      readonly report: string | null;
      /** Left out: the model read all that was sent. `usage` counts what it read. */
      readonly cleared?: ClearedByProvider;
    }
  | {
      readonly type: "request-failed";
      readonly request: RequestId;
      readonly failure: Failure;
      /** Text that had been shown before the stream broke; never sent back as an assistant message. */
      readonly partial: Text;
    };
