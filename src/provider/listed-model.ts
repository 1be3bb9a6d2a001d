import type { Effort } from "../log/effort.ts";

/** What a provider's own listing says of one model; null: it does not say (PROTOCOLS A.1). */
export type ListedModel = {
  readonly id: string;
  readonly inputTokensMax: number | null;
  readonly outputTokensMax: number | null;
  readonly lifecycle: Lifecycle | null;
  /** The day after which requests may fail, where one is planned. */
  readonly retiresOn: string | null;
  /** Values of `thinking.type` that it takes. */
  readonly thinking: readonly string[] | null;
  /** Efforts that it takes; empty: none at all. */
  readonly efforts: readonly Effort[] | null;
};

export type Lifecycle = "active" | "deprecated" | "retired";

const lifecycles: readonly Lifecycle[] = ["active", "deprecated", "retired"];

export function lifecycleOf(value: unknown): Lifecycle | null {
  return lifecycles.find((one) => one === value) ?? null;
}

/** By its exact id; ids that lead to one snapshot are listed as that. */
export function listedAs(model: string, models: readonly ListedModel[]): ListedModel | null {
  const exact = models.find(({ id }) => id === model);
  return (
    exact ?? models.find(({ id }) => id.startsWith(`${model}-`) && /^-?20\d{6}$/.test(id.slice(model.length))) ?? null
  );
}

/** Why this effort cannot be asked of the model, or null where it can or nothing is known of it. */
export function effortFault(model: string, effort: Effort | null, listed: ListedModel | null): string | null {
  const efforts = listed?.efforts ?? null;
  if (effort === null || efforts === null || efforts.includes(effort)) return null;
  if (efforts.length === 0) return `${model} takes no effort, says its provider: leave it out`;
  return `${model} does not take the effort "${effort}": its provider lists ${efforts.join(", ")}`;
}

/** One line where the model is on its way out, else null. */
export function lifecycleWarning(listed: ListedModel | null): string | null {
  if (listed === null || listed.lifecycle === null || listed.lifecycle === "active") return null;
  if (listed.lifecycle === "retired") return `${listed.id} is retired, says its provider: requests for it fail`;
  const when = listed.retiresOn === null ? "" : ` (to be retired on ${listed.retiresOn})`;
  return `${listed.id} is deprecated${when}, says its provider: choose another model in time`;
}
