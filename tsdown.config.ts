import { defineConfig } from "tsdown";

/**
 * The package: the library, the public test tools, the command, and two files that are started as processes of their
 * own (the simulator) or loaded by one (its brains), so each needs a name in `dist`.
 */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    engine: "src/engine.ts",
    "testing/index": "src/testing/index.ts",
    "testing/simulate/main": "src/testing/simulate/main.ts",
    "cli/main": "src/cli/main.ts",
    "cli/demo/brain": "src/cli/demo/brain.ts",
    "cli/demo/brain-browser": "src/cli/demo/brain-browser.ts",
    "cli/demo/brain-short": "src/cli/demo/brain-short.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22.19",
  dts: true,
  sourcemap: false,
  clean: true,
  // File for file: the simulator and its brains are started by path, and a command loads only what it needs.
  unbundle: true,
});
