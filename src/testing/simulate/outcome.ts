/** Whole, as server-sent events, or as a JSON list that grows. */
export type StreamForm = "none" | "sse" | "list";

/** How an answer travels; the server carries it out, tests read it. */
export type Delivery = {
  /** Before the first byte. */
  readonly delayMs: number;
  /** Bytes per write, so that characters and frames are split anywhere; null writes each frame whole. */
  readonly splitBytes: number | null;
  /** `reset`: the connection is torn before any header. `cut`: it is torn, or `stall`: it falls silent, `afterBytes` into the body. */
  readonly end: "complete" | "reset" | "cut" | "stall";
  readonly afterBytes: number;
};

export const plainDelivery: Delivery = { delayMs: 0, splitBytes: null, end: "complete", afterBytes: 0 };

export type Outcome = {
  /** The record's number, or 0 where none is kept. */
  readonly n: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One item, or the frames of a stream. */
  readonly frames: readonly string[];
  readonly delivery: Delivery;
};
