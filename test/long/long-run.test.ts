import { test } from "vitest";
import { manyTurns } from "./many-turns.ts";

/** Tools and system take a little over 4,000 tokens as the simulator counts; `bench long` measures them. */
const h32k = 36_200;

test("METRICS 5 · 1,000 turns in a small window, with faults and restarts: nothing too long, no fact hidden, every turn done", async () => {
  await manyTurns(1_000, h32k, "anthropic");
}, 300_000);
