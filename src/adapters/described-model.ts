import { factsOf, type WindowSettings } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Wire } from "../kernel/usage.ts";
import { type ListedModel, listedAs } from "../provider/listed-model.ts";
import { listingWire } from "../provider/listing.ts";
import { keepListing, readListings } from "./listing-file.ts";
import { addressOf, listModels } from "./model-listing.ts";
import type { Endpoint } from "./model-route.ts";

type Asked = {
  /** The home, where listings are kept. */
  readonly root: string;
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly model: string;
  /** What the user says of the model's window: then there is no need to ask. */
  readonly settings: WindowSettings | undefined;
  readonly now: number;
};

/**
 * What the provider's own listing says of a model, or null. Asked only where neither the user nor the table describes the model and no
 * fresh listing is kept, once and shortly; a session never fails or waits long because of it.
 */
export async function describedModel(asked: Asked): Promise<ListedModel | null> {
  const { root, endpoint, model, settings, now } = asked;
  const wire = listingWire(asked.wire);
  const address = addressOf(wire, endpoint);
  if (address === null) return null;
  const kept = await keptListing(root, wire, address);
  const known = kept === undefined ? null : listedAs(model, kept.models);
  const isDescribed = settings !== undefined || factsOf(model) !== null;
  if (isDescribed || (kept !== undefined && isFresh(kept.at, now))) return known;
  const listing = await listModels({ wire, endpoint, timeoutMs: bounds.listingMsMax });
  if (listing.type === "failed") return known;
  // A home that cannot be written costs one more question next time; the session says so itself where it matters.
  await keepListing(root, { wire, address, at: now, models: listing.models }).catch(() => undefined);
  return listedAs(model, listing.models);
}

/** The same without asking anybody: what is kept of it. */
export async function keptModel(
  asked: Pick<Asked, "root" | "wire" | "endpoint" | "model">,
): Promise<ListedModel | null> {
  const wire = listingWire(asked.wire);
  const address = addressOf(wire, asked.endpoint);
  const kept = address === null ? undefined : await keptListing(asked.root, wire, address);
  return kept === undefined ? null : listedAs(asked.model, kept.models);
}

async function keptListing(root: string, wire: Wire, address: string) {
  return (await readListings(root)).find((one) => one.wire === wire && one.address === address);
}

/** A listing from the future is one from before the clock was set right. */
function isFresh(at: number, now: number): boolean {
  return at <= now && now - at < bounds.listingAgeMsMax;
}
