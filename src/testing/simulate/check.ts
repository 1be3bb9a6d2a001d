import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { Binding } from "./binding.ts";
import { cut } from "./cut.ts";
import type { StoredPrompt } from "./gemini-cached.ts";
import { type Memory, noMemory } from "./memory.ts";
import { type SimModel, simModels } from "./models.ts";
import type { Rule, RuleInput, Violation } from "./rule.ts";
import { rules } from "./rules.ts";
import type { SimSegment } from "./segment.ts";

/** The first rule that a request breaks, as the provider would say it; null for a well-formed request. */
export function checkRequest(
  wire: Wire,
  headers: Readonly<Record<string, string>>,
  bodyText: string,
  models: readonly SimModel[] = simModels,
  account: {
    readonly memory?: Memory;
    readonly binding?: Binding;
    readonly only?: ((rule: Rule) => boolean) | undefined;
    /** The model that the path names, where the wire has it there. */
    readonly asked?: string | undefined;
    readonly stored?: StoredPrompt | null;
    readonly isWindow?: boolean | undefined;
  } = {},
): Violation | null {
  const { memory = noMemory, binding = "error", only = () => true, stored = null, isWindow = false } = account;
  const parsed = parseJson(bodyText);
  const body = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  const asked = account.asked ?? body.model;
  const model = models.find((row) => row.wire === wire && row.id === asked) ?? fallback(wire, models);
  const input: RuleInput = {
    wire,
    headers,
    bodyText,
    body,
    models,
    model,
    asked,
    memory,
    binding,
    stored,
    isWindow,
    segments: lazily(() => cut(wire, bodyText)),
  };
  for (const rule of rules[wire]) {
    const found = only(rule) ? rule.check(input) : null;
    if (found !== null) return { status: 400, ...found, rule: rule.id, paragraph: rule.paragraph };
  }
  return null;
}

function fallback(wire: Wire, models: readonly SimModel[]): SimModel {
  const row = models.find((model) => model.wire === wire);
  if (row === undefined) throw new Error(`the model table has no row for the ${wire} wire`);
  return row;
}

function lazily(make: () => readonly SimSegment[]): () => readonly SimSegment[] {
  let made: readonly SimSegment[] | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
