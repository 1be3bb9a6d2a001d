import type { Runner, StoreUnderTest } from "./store-proof.ts";
import { appending, leasing, reading } from "./store-proof-log.ts";
import { keeping, listing } from "./store-proof-session.ts";

type Suite = Runner & { readonly name: string; readonly make: () => Promise<StoreUnderTest> };

/** Registers what every store must do. `make` gives a fresh, empty one for each test. */
export function storeConformance(suite: Suite): void {
  for (const [rule, prove] of Object.entries({ ...appending, ...reading, ...leasing, ...listing, ...keeping })) {
    suite.test(`${suite.name} · ${rule}`, async () => prove(await suite.make(), suite.expect));
  }
}
