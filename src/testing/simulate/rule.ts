import type { Wire } from "../../kernel/usage.ts";
import type { Binding } from "./binding.ts";
import type { StoredPrompt } from "./gemini-cached.ts";
import type { Memory } from "./memory.ts";
import type { SimModel } from "./models.ts";
import type { SimSegment } from "./segment.ts";

/** What a rule looks at: one received request, and what the simulator remembers of its own answers. */
export type RuleInput = {
  readonly wire: Wire;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** Empty where the body is not JSON; the rule that says so stands before all that read it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly models: readonly SimModel[];
  /** The row of the model asked for; the rule that refuses unknown models stands before all that read it. */
  readonly model: SimModel;
  /** The name of the model asked for, from the path where the wire has it there. */
  readonly asked: unknown;
  readonly memory: Memory;
  readonly binding: Binding;
  /** The request is for a window to go on from, which takes fewer fields (PROTOCOLS B.4). */
  readonly isWindow: boolean;
  /** The cached content that the request names, where there is one. */
  readonly stored: StoredPrompt | null;
  /** The simulator's own cut; empty where the body cannot be cut. */
  readonly segments: () => readonly SimSegment[];
};

export type Found = {
  readonly message: string;
  /** 400 and the wire's general type where not given. */
  readonly status?: number;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
};

/** One row: its name, the PROTOCOLS paragraph it enforces, and a pure check. */
export type Rule = {
  readonly id: string;
  readonly paragraph: string;
  readonly check: (input: RuleInput) => Found | null;
};

export type Violation = Found & { readonly rule: string; readonly paragraph: string; readonly status: number };

/** The first of `values` for which `check` finds something. */
export function firstOf<T>(
  values: readonly T[],
  check: (value: T, index: number) => string | Found | null,
): Found | null {
  for (const [index, value] of values.entries()) {
    const found = check(value, index);
    if (found !== null) return typeof found === "string" ? { message: found } : found;
  }
  return null;
}
