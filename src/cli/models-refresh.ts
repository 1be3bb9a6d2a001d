import { keepListing } from "../adapters/listing-file.ts";
import { addressOf, listModels } from "../adapters/model-listing.ts";
import { bounds } from "../kernel/bounds.ts";
import { CommandError, UsageError } from "./exit.ts";
import { servicesOf } from "./services.ts";
import type { Flags } from "./settings.ts";
import { say } from "./terminal.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Asks every provider that is set up for its listing and keeps it. Says how each went; `failed`: one did not answer. */
export async function refreshListings(
  root: string,
  flags: Pick<Flags, "wire" | "baseUrl">,
  env: Env,
): Promise<"done" | "failed"> {
  const asked = servicesOf(flags, env);
  if (asked.length === 0)
    throw new UsageError("nobody to ask: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give --base-url");
  const outcomes: boolean[] = [];
  for (const { wire, endpoint } of asked) {
    const address = addressOf(wire, endpoint) ?? wire;
    const listing = await listModels({ wire, endpoint, timeoutMs: bounds.listingAskedMsMax });
    outcomes.push(listing.type === "listed");
    if (listing.type === "failed") {
      say(`varve: ${address} gave no listing: ${listing.why}`);
      continue;
    }
    await keepListing(root, { wire, address, at: Date.now(), models: listing.models }).catch((error: unknown) => {
      throw new CommandError(
        `the listing cannot be kept in ${root}: ${error instanceof Error ? error.message : error}`,
      );
    });
    say(`varve: ${address} lists ${listing.models.length} models`);
  }
  return outcomes.every(Boolean) ? "done" : "failed";
}
