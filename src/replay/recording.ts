import type { Usage } from "../kernel/usage.ts";

/** One piece of a recorded conversation, whole. `id` counts from 0 in the order in which the model saw them. */
export type Block = {
  readonly id: number;
  readonly role: "user" | "assistant";
  readonly kind: "text" | "summary" | "reasoning" | "tool-call" | "tool-result" | "recalled";
  readonly callId: string | null;
  readonly tool: string | null;
  readonly text: string;
  /** Of what was recalled: the handle by which its text says that there is more. */
  readonly handle?: string;
};

export type RecordedCall = {
  /** Counts the session's model calls from 0. */
  readonly n: number;
  /** When the request began, as near as the file tells: the newest time before the answer's first piece. null: unknown. */
  readonly at: number | null;
  readonly model: string | null;
  readonly usage: Usage;
  /** The context began anew before this call, with these earlier blocks; what follows is in `before`. null: it only grew. */
  readonly restart: { readonly why: "compacted" | "rewound" | "cleared"; readonly kept: readonly Block[] } | null;
  /** What came since the call before, of the user's side. */
  readonly before: readonly Block[];
  /** What the model answered. */
  readonly answer: readonly Block[];
};

export type Recording = {
  readonly session: string;
  /** Tokens of system prompt and tools, which session files do not hold (METRICS 1, *Head*). */
  readonly headTokens: number;
  readonly calls: readonly RecordedCall[];
};

/** A string a call uses that only an earlier result holds (METRICS 1). */
export type Probe = {
  readonly callId: string;
  readonly kind: string;
  readonly text: string;
  /** Call id of the newest earlier result that holds it. */
  readonly source: string;
};
