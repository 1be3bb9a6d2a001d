import { diffJudge } from "./diff.ts";
import type { Judge, TextKind } from "./form.ts";
import { htmlJudge } from "./html.ts";
import { proseJudge } from "./prose.ts";
import { buildJudge, commandJudge, listingJudge, logJudge, testsJudge, traceJudge } from "./run-output.ts";
import type { Taste } from "./select.ts";
import { snapshotJudge } from "./snapshot.ts";
import { sourceJudge } from "./source.ts";
import { tableJudge } from "./table.ts";

/** How much of a text is aimed at: `base` bytes and a share of the rest. */
export type Aim = { readonly base: number; readonly share: number };

export type LineForm = {
  readonly judge: () => Judge;
  /** Bytes up to which output of the kind is shown as it is. */
  readonly whole: number;
  readonly aim: Aim;
  readonly taste: Taste;
};

const names = { path: 2, name: 1, word: 0.12 } as const;
const words = { path: 1.5, name: 0.8, word: 0.6 } as const;
const paths = { path: 2.5, name: 1, word: 0.1 } as const;
const any: () => Judge = () => () => 1;

/** By what a text is: what its lines are worth, and how much of it. JSON that is none is a command's output. */
export const formsByType: Readonly<Record<TextKind, LineForm>> = {
  json: { judge: commandJudge, whole: 5200, aim: { base: 700, share: 0.2 }, taste: { weights: names, ends: 0.1 } },
  snapshot: { judge: snapshotJudge, whole: 4000, aim: { base: 700, share: 0.3 }, taste: { weights: names, ends: 0.1 } },
  html: { judge: htmlJudge, whole: 2400, aim: { base: 700, share: 0.2 }, taste: { weights: names, ends: 0.1 } },
  diff: { judge: diffJudge, whole: 1600, aim: { base: 700, share: 0.45 }, taste: { weights: words, ends: 0.02 } },
  tests: { judge: testsJudge, whole: 1600, aim: { base: 450, share: 0.12 }, taste: { weights: names, ends: 0.35 } },
  build: { judge: buildJudge, whole: 1800, aim: { base: 700, share: 0.3 }, taste: { weights: names, ends: 0.15 } },
  log: { judge: logJudge, whole: 1600, aim: { base: 600, share: 0.2 }, taste: { weights: names, ends: 0.15 } },
  table: { judge: tableJudge, whole: 1600, aim: { base: 600, share: 0.3 }, taste: { weights: names, ends: 0.1 } },
  history: { judge: any, whole: 1600, aim: { base: 300, share: 0.15 }, taste: { weights: names, ends: 0.15 } },
  search: { judge: any, whole: 1600, aim: { base: 500, share: 0.45 }, taste: { weights: names, ends: 0.02 } },
  listing: { judge: listingJudge, whole: 1600, aim: { base: 500, share: 0.28 }, taste: { weights: names, ends: 0.01 } },
  source: { judge: sourceJudge, whole: 1600, aim: { base: 600, share: 0.52 }, taste: { weights: words, ends: 0.15 } },
  trace: { judge: traceJudge, whole: 1600, aim: { base: 600, share: 0.3 }, taste: { weights: names, ends: 0.1 } },
  prose: { judge: proseJudge, whole: 3400, aim: { base: 700, share: 0.27 }, taste: { weights: paths, ends: 0.05 } },
  command: { judge: commandJudge, whole: 1600, aim: { base: 800, share: 0.33 }, taste: { weights: names, ends: 0.15 } },
  binary: { judge: any, whole: 1600, aim: { base: 400, share: 0 }, taste: { weights: names, ends: 0.3 } },
};
