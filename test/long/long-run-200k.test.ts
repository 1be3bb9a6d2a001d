import { test } from "vitest";
import { manyTurns } from "./many-turns.ts";

test("METRICS 5 · 500 turns in 200,000 tokens, with faults and restarts: nothing too long, no fact hidden, every turn done", async () => {
  await manyTurns(500, 200_000, "responses");
}, 300_000);
