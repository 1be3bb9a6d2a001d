import { addressOf } from "../adapters/model-listing.ts";
import type { Endpoint } from "../adapters/model-route.ts";
import { type Wire, wires } from "../kernel/usage.ts";
import { listingWire } from "../provider/listing.ts";
import { endpointOf, type Flags, oneOf, providerNames } from "./settings.ts";

/** A provider that is set up, by the wire in whose shape it lists its models. */
export type Service = { readonly wire: Wire; readonly endpoint: Endpoint };

type Env = Readonly<Record<string, string | undefined>>;

/** The one that flags name, else all with a key or an address in the environment. One that speaks two wires stands once. */
export function servicesOf(flags: Pick<Flags, "wire" | "baseUrl">, env: Env): readonly Service[] {
  const services = new Map<string, Service>();
  for (const wire of wiresOf(flags, env)) {
    const endpoint = endpointOf(wire, flags, env);
    const asked = listingWire(wire);
    const key = `${asked} ${addressOf(asked, endpoint) ?? ""}`;
    if (!services.has(key)) services.set(key, { wire: asked, endpoint });
  }
  return [...services.values()];
}

function wiresOf(flags: Pick<Flags, "wire" | "baseUrl">, env: Env): readonly Wire[] {
  if (flags.wire !== undefined) return [oneOf("--wire", wires, flags.wire)];
  if (flags.baseUrl !== undefined) return ["chat"];
  return wires.filter(
    (wire) => isSet(env[`${providerNames[wire]}_API_KEY`]) || isSet(env[`${providerNames[wire]}_BASE_URL`]),
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
