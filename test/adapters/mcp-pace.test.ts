import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { hearPaced } from "../../src/adapters/mcp-pace.ts";
import { until } from "../support/stub-servers.ts";

test("a stream waits after a piece that took long, and not after one that did not; each piece is heard, in order", async () => {
  const stream = new PassThrough();
  const heard: string[] = [];
  const waited: boolean[] = [];
  hearPaced(stream, (piece) => {
    heard.push(String(piece));
    if (String(piece).startsWith("slow")) {
      const begun = performance.now();
      while (performance.now() - begun < 5);
    }
    queueMicrotask(() => waited.push(stream.isPaused()));
  });
  for (const piece of ["slow 1", "slow 2", "slow 3"]) {
    stream.write(piece);
    await until(() => heard.at(-1) === piece);
  }
  expect(waited).toEqual([true, true, true]);
  stream.end("last");
  await until(() => heard.at(-1) === "last");
  expect(heard).toEqual(["slow 1", "slow 2", "slow 3", "last"]);
});
