import { addressOf, listModels } from "../adapters/model-listing.ts";
import { bounds } from "../kernel/bounds.ts";
import { wires } from "../kernel/usage.ts";
import { type Check, failed, ok, warn } from "./doctor-check.ts";
import { limitsText } from "./doctor-limits.ts";
import { UsageError } from "./exit.ts";
import { type Service, servicesOf } from "./services.ts";
import { type Flags, providerNames } from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Which keys there are, by name alone, and whether each provider that is set up answers. */
export async function serviceChecks(
  flags: Pick<Flags, "wire" | "baseUrl">,
  env: Env,
  timeoutMs: number = bounds.listingAskedMsMax,
): Promise<readonly Check[]> {
  const names = [...new Set(wires.flatMap((wire) => namesOf(providerNames[wire])))];
  const set = names.filter((name) => env[name] !== undefined && env[name] !== "");
  const keys =
    set.length > 0
      ? ok("keys", `${set.join(", ")} ${set.length === 1 ? "is" : "are"} set`)
      : warn("keys", "no provider's key is set", "set ANTHROPIC_API_KEY, or name a server of your own with --base-url");
  return [keys, ...(await answers(flags, env, timeoutMs))];
}

async function answers(flags: Pick<Flags, "wire" | "baseUrl">, env: Env, timeoutMs: number): Promise<readonly Check[]> {
  try {
    return await Promise.all(servicesOf(flags, env).map((service) => serviceCheck(service, timeoutMs)));
  } catch (error) {
    if (error instanceof UsageError) return [failed("provider", error.message, "correct the flag or the variable")];
    throw error;
  }
}

function namesOf(provider: string): readonly string[] {
  return [`${provider}_API_KEY`, `${provider}_BASE_URL`];
}

async function serviceCheck({ wire, endpoint }: Service, timeoutMs: number): Promise<Check> {
  const address = addressOf(wire, endpoint) ?? "the address";
  const listing = await listModels({ wire, endpoint, timeoutMs });
  if (listing.type === "listed") {
    const limits = limitsText(listing.limits) ?? "its answer names no limits";
    return ok(wire, `${address} answers and lists ${listing.models.length} models; ${limits}`);
  }
  const { status, why } = listing;
  const said = `${address}: ${why}`;
  if (status === 401 || status === 403) return failed(wire, said, `check ${providerNames[wire]}_API_KEY`);
  // A server without a listing may well answer requests.
  if (status === 404 || status === 405 || status === 200)
    return warn(
      wire,
      `${said}; it answers, but lists no models`,
      "check the address, or describe the model in models.json",
    );
  return failed(wire, said, status === null ? "check the address and the network" : "try again later");
}
