import { join } from "node:path";

/**
 * Many tests start the command line, some hundreds of times: put together into a few files it starts in half the time. In CI
 * only, since it takes some seconds; elsewhere the source is run. `demo` and `simulate` find files beside them, so they run from
 * source in any case.
 */
export default async function setup(): Promise<void> {
  if (process.env.VARVE_TESTS_BUILT === undefined) return;
  const { build } = await import("tsdown");
  const root = join(import.meta.dirname, "../..");
  const outDir = join(root, "node_modules/.cache/varve-tests");
  await build({
    config: false,
    cwd: root,
    entry: { "cli/main": "src/cli/main.ts" },
    format: "esm",
    platform: "node",
    target: "node22.19",
    dts: false,
    sourcemap: false,
    outDir,
    logLevel: "error",
    report: false,
    // A program that is shipped as a binary finds itself by its own package.
    noExternal: [/^(?!@vscode|node:)/],
  });
  process.env.VARVE_TESTS_PROGRAM = join(outDir, "cli/main.mjs");
}
