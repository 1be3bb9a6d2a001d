import { expect, test } from "vitest";
import { runAssembly } from "../../bench/assembly.ts";

test("/commit is done in both assembly modes: appended it moves nothing, as a section it comes and leaves by a declared break each", async () => {
  const result = await runAssembly(["--history", "20000", "--json"]);
  expect(result).toMatchObject({
    simulated: true,
    rows: [
      { assembly: "append", committed: "Say what changed", commit: { breaks: [] }, next: { breaks: [] } },
      {
        assembly: "boundary",
        committed: "Say what changed",
        commit: { breaks: ["sections-changed"] },
        next: { breaks: ["sections-changed"] },
      },
    ],
  });
  const rows =
    "rows" in Object(result)
      ? (result as { readonly rows: readonly { readonly commit: { readonly usd: number } }[] }).rows
      : [];
  expect(rows[1]?.commit.usd).toBeGreaterThan(rows[0]?.commit.usd ?? 0);
}, 60_000);
