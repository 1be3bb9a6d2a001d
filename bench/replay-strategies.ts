import { clairvoyants } from "../src/replay/clairvoyant.ts";
import { plainRules } from "../src/replay/plain.ts";
import type { Strategy } from "../src/replay/strategy.ts";
import { varveStrategies } from "../src/replay/varve.ts";
import { rivals } from "./rivals/rivals.ts";

/** All that a run compares, in the order of its table. `none` is what the others are measured against. */
export const replayStrategies: readonly Strategy[] = [...plainRules, ...rivals, ...varveStrategies, ...clairvoyants];
