import type { Wire } from "../../kernel/usage.ts";

/**
 * The simulated model's mind. A brain sees only what the provider would see, the received request, and answers for it:
 * what it cannot see in the request it does not know.
 */
export type Brain = (request: BrainRequest) => BrainReply | Promise<BrainReply>;

export type BrainRequest = {
  readonly wire: Wire;
  readonly model: string;
  readonly system: readonly string[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
  readonly messages: readonly BrainMessage[];
  /** Requests this simulator answered before, for brains that must differ by step; never needed for the demo. */
  readonly served: number;
};

export type BrainMessage = { readonly role: "user" | "assistant" | "system"; readonly parts: readonly BrainPart[] };

export type BrainPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly input: unknown }
  | { readonly type: "result"; readonly id: string; readonly text: string; readonly isError: boolean }
  | { readonly type: "image" }
  | { readonly type: "other"; readonly kind: string };

export type BrainReply = {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: unknown; readonly id?: string }[];
  readonly stop?: "end" | "output-limit" | "refusal" | "pause";
  /** Milliseconds before the first byte of the answer. */
  readonly lateMs?: number;
  /** Anthropic and Responses: whole content blocks or output items, sent as they are after the reasoning and before the text. */
  readonly raw?: readonly { readonly type: string; readonly [member: string]: unknown }[];
};
