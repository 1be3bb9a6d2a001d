import { test } from "vitest";
import { thousandTurns } from "./thousand-turns.ts";

/** Tools and system take a little over 4,000 tokens as the simulator counts; `bench long` measures them. */
const h32k = 36_200;

test("METRICS 5 · 1,000 turns in a small window, with faults and restarts: nothing too long, no fact hidden, every turn done", async () => {
  await thousandTurns(h32k, "anthropic");
}, 300_000);
