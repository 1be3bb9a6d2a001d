import { test } from "vitest";
import { thousandTurns } from "./thousand-turns.ts";

test("METRICS 5 · 1,000 turns in 200,000 tokens, with faults and restarts: nothing too long, no fact hidden, every turn done", async () => {
  await thousandTurns(200_000, "responses");
}, 300_000);
