import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import type { SimRecord } from "../../testing/simulate/records.ts";

/** What the simulator saw, oldest first. */
export async function recordsOf(url: string): Promise<readonly SimRecord[]> {
  const response = await fetch(`${url}/_sim/requests`);
  const parsed = parseJson(await response.text());
  const list = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.requests : null;
  if (!Array.isArray(list)) throw new Error(`${url} is no simulator: it has no list of requests`);
  // The proof is the simulator's own: it prints its records, and both sides are of one version.
  return list as readonly SimRecord[];
}
