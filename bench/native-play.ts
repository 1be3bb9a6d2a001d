import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileStore } from "../src/adapters/store-file.ts";
import { noReductions, type Reductions } from "../src/agent/reductions.ts";
import { estimateReportOf } from "../src/cli/demo/estimate.ts";
import { promptTokensOf, type Wire } from "../src/kernel/usage.ts";
import type { Model } from "../src/ports/model.ts";
import { createSession } from "../src/session/create-session.ts";
import { createSimulation } from "../src/testing/simulate/simulation.ts";
import { withSummaries } from "../src/testing/simulate/summaries.ts";
import { simulatedModel } from "../test/support/simulated-model.ts";
import { passingClock } from "./long-clock.ts";
import { figuresOf, ledgerRows } from "./long-ledger.ts";
import { longModels } from "./long-models.ts";
import { messageOf, nativeWork, writeParts } from "./native-work.ts";

/** `off`: nothing is taken away, results are whole, and the window has no end. */
export type Way = Partial<Reductions> | "off";

export type NativeRun = {
  readonly tasks: number;
  readonly windowTokens: number;
  readonly wire: Wire;
  readonly folder: string;
};

const windowWithoutEnd = 10_000_000;
const answerMs = 4_000;
const turnMs = 20_000;

/** All tasks in one session, in one process with the simulator, and what that came to. */
export async function playNative(run: NativeRun, way: Way) {
  const [work, root] = [join(run.folder, "work"), join(run.folder, "home")];
  await mkdir(work, { recursive: true });
  await writeParts(work, run.tasks);
  const clock = passingClock();
  const { brain, counts } = nativeWork();
  const windowTokens = way === "off" ? windowWithoutEnd : run.windowTokens;
  const simulation = createSimulation({ brain: withSummaries(brain), windowTokens, recordsMax: 3 });
  let peakTokens = 0;
  const inner = simulatedModel(simulation, () => clock.now());
  const model: Model = {
    async *stream(request, signal) {
      yield* inner.stream(request, signal);
      clock.pass(answerMs);
    },
  };
  const [choice] = longModels(run.wire);
  if (choice === undefined) throw new Error("a run needs a model");
  const stores = fileStore({ root, clock, sync: false });
  const session = await createSession({
    model: choice,
    endpoints: {},
    cwd: work,
    home: root,
    userFolder: null,
    mode: "bypassPermissions",
    listed: null,
    window: { windowTokens },
    reductions: way === "off" ? noReductions : way,
    world: {
      clock,
      model,
      stores,
      env: { PATH: process.env.PATH },
      ...(way === "off" ? { firstForm: ({ text }) => ({ whole: true, text }) } : {}),
    },
  });
  session.listen((event) => {
    if (event.type !== "entry" || event.entry.type !== "response-received") return;
    if (event.entry.usage !== null) peakTokens = Math.max(peakTokens, promptTokensOf(event.entry.usage));
  });
  let done = 0;
  for (let task = 0; task < run.tasks; task += 1) {
    clock.pass(turnMs);
    const { reason } = await session.prompt(messageOf(task));
    if (reason === "done") done += 1;
  }
  const { id } = session;
  await session.close();
  const rows = await ledgerRows(stores, id);
  const { usd, cacheReadShare, misses } = figuresOf(rows);
  const { overflows, refused } = simulation.report();
  return {
    ...{ done, requests: rows.length, ...counts, peakTokens },
    ...{ overflows, refused, usd, cacheReadShare, misses },
    missTokens: rows.reduce((sum, { miss }) => sum + (typeof miss === "string" ? 0 : miss.tokens), 0),
    aboveMargin: estimateReportOf(rows).aboveMargin,
  };
}
