import type { Hash } from "../kernel/ids.ts";

export type SegmentKind =
  | "tool"
  | "system"
  | "text"
  | "tool-call"
  | "tool-result"
  | "reasoning"
  | "image"
  | "document"
  | "other";

/**
 * One piece of what a provider renders, in rendering order: tools that are declared and not deferred-and-unreferenced,
 * system blocks, content blocks. `hash` is over role, kind and the block's JSON with white space outside strings and
 * cache markers removed, so it names what the provider sees. `span` is where the block stands in the body (byte
 * offsets, end exclusive); `textSpans` are the JSON string literals (quotes included) that hold its text.
 */
export type Segment = {
  readonly id: number;
  readonly kind: SegmentKind;
  readonly role: "tools" | "system" | "user" | "assistant";
  readonly callId?: string;
  readonly tool?: string;
  readonly hash: Hash;
  /** Decoded text, or null where the block is opaque to us (images, reasoning, unknown types). */
  readonly text: string | null;
  readonly span: readonly [from: number, to: number];
  readonly textSpans: readonly (readonly [from: number, to: number])[];
};

/** System and tools, which stand before all messages. */
export function isHead({ role }: Pick<Segment, "role">): boolean {
  return role === "tools" || role === "system";
}

/** All else but tools that are declared in front and shown where a message names them: those nobody takes away. */
export function isOfMessages({ role, kind }: Pick<Segment, "role" | "kind">): boolean {
  return !isHead({ role }) && kind !== "tool";
}

/** `text` replaces the segment's text (all its text spans as one); `bytes` replaces its whole span. */
export type Edit =
  | { readonly type: "text"; readonly segment: number; readonly text: string }
  | { readonly type: "bytes"; readonly segment: number; readonly bytes: Uint8Array };

/** First writer wins; the form a block entered the prompt in, by the chain hash of its first sending (DESIGN 4). */
export interface FormStore {
  putIfAbsent(chain: Hash, form: string): Promise<string>;
  get(chain: Hash): Promise<string | null>;
}
