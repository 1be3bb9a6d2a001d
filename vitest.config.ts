import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Tests that start processes or read a thousand random logs are slow on two busy cores; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Halves the start of each of many processes; node keys what it keeps there by content.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "varve-tests-compile-cache") },
    pool: "forks",
    maxWorkers: 2,
    maxConcurrency: 2,
  },
});
