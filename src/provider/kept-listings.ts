import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { type Wire, wires } from "../kernel/usage.ts";
import { effortOf } from "./effort.ts";
import { type ListedModel, lifecycleOf } from "./listed-model.ts";

/** A provider's answer as it is kept: of which address, and when (ms). */
export type KeptListing = {
  readonly wire: Wire;
  readonly address: string;
  readonly at: number;
  readonly models: readonly ListedModel[];
};

/** Reads what `keptText` wrote. It can be asked for anew at any time, so what cannot be read is as good as absent. */
export function keptListings(fileText: string): readonly KeptListing[] {
  const parsed = parseJson(fileText);
  if (parsed.type === "bad" || !isRecord(parsed.value) || !Array.isArray(parsed.value.listings)) return [];
  return parsed.value.listings.flatMap((item) => keptListing(item) ?? []);
}

/** The newer answer in the place of the older one of the same service; the newest services are kept. */
export function withListing(kept: readonly KeptListing[], newer: KeptListing): readonly KeptListing[] {
  const others = kept.filter(({ wire, address }) => wire !== newer.wire || address !== newer.address);
  return [newer, ...others.toSorted((a, b) => b.at - a.at)].slice(0, servicesMax);
}

export function keptText(listings: readonly KeptListing[]): string {
  const dated = listings.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest }));
  return `${JSON.stringify({ listings: dated }, null, 1)}\n`;
}

/** Servers of one's own come and go on ever new ports. */
const servicesMax = 20;

function keptListing(value: unknown): KeptListing | null {
  if (!isRecord(value) || typeof value.address !== "string" || !Array.isArray(value.models)) return null;
  const wire = wires.find((one) => one === value.wire);
  const at = typeof value.at === "string" ? Date.parse(value.at) : Number.NaN;
  if (wire === undefined || Number.isNaN(at)) return null;
  return { wire, address: value.address, at, models: value.models.flatMap((item) => keptModel(item) ?? []) };
}

function keptModel(value: unknown): ListedModel | null {
  if (!isRecord(value) || typeof value.id !== "string") return null;
  const { id, inputTokensMax, outputTokensMax, lifecycle, retiresOn, thinking, efforts } = value;
  return {
    id,
    inputTokensMax: typeof inputTokensMax === "number" ? inputTokensMax : null,
    outputTokensMax: typeof outputTokensMax === "number" ? outputTokensMax : null,
    lifecycle: lifecycleOf(lifecycle),
    retiresOn: typeof retiresOn === "string" ? retiresOn : null,
    thinking: Array.isArray(thinking) ? thinking.filter((one) => typeof one === "string") : null,
    efforts: Array.isArray(efforts) ? efforts.flatMap((one) => effortOf(one) ?? []) : null,
  };
}
