import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Without times from a run before, vitest begins with the largest files; what takes minutes are some of the smallest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(long|laws|demo)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Tests that start processes or read a thousand random logs are slow on two busy cores; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Halves the start of each of many processes; node keys what it keeps there by content.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "varve-tests-compile-cache") },
    globalSetup: "test/support/built-program.ts",
    pool: "forks",
    // No test replaces a module, so files share what a worker has loaded: loading it anew for each took a quarter of the time.
    isolate: false,
    // Many tests wait for processes they started: one more than the two cores keeps both busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    maxConcurrency: 2,
  },
});
