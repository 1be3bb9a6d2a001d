import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startupTables } from "../../bench/results-tables.ts";
import { peersIn } from "../../bench/startup-peers.ts";
import { clients } from "../e2e/client-table.ts";

test("a client that is not installed is left out, and it is said how to get it", async () => {
  const root = await mkdtemp(join(tmpdir(), "varve-peers-"));
  vi.stubEnv("VARVE_E2E_CACHE", join(root, "nothing-here"));
  try {
    const { there, notes } = await peersIn(root, "http://127.0.0.1:1", "Say hello.");
    expect(there).toEqual([]);
    expect(notes).toEqual(clients.map(({ name }) => `${name} is not installed: npm run e2e -- ${name}`));
  } finally {
    vi.unstubAllEnvs();
    await rm(root, { recursive: true });
  }
});

test("times are shown in multiples of the same Node doing nothing", () => {
  const commands = [
    { name: "node -e 0", version: "v24.0.0", firstRequestMs: null, wallMs: 40 },
    { name: "varve -p", version: "0.1.0", firstRequestMs: 400, wallMs: 500 },
  ];
  const text = startupTables({ simulated: true, commands, notes: ["pi is not installed"] });
  expect(text).toContain("| `varve -p` | 0.1.0 | 10 | 12.5 |");
  expect(text).toContain("- pi is not installed");
});
