import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Wire, wires } from "../../kernel/usage.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { usualModel } from "../../provider/usual-model.ts";
import { exitCodes, exitOfTurn, UsageError } from "../exit.ts";
import { oneOf, positive } from "../settings.ts";
import { say } from "../terminal.ts";
import { browserHere, browserMissing } from "./browser-server.ts";
import { stuckWords } from "./plan.ts";
import { played } from "./played.ts";
import { reportOf } from "./report.ts";
import { reportText } from "./report-text.ts";
import { browserSample, type Sample, shopSample, tinySample } from "./sample.ts";

export type DemoFlags = {
  readonly json?: boolean;
  readonly baseUrl?: string;
  readonly work?: string;
  readonly home?: string;
  readonly wire?: string;
  readonly window?: string;
  readonly short?: boolean;
  readonly browser?: boolean;
};

/** The windows of the scenarios that the demo is measured against. */
const windowTokensUsual: Readonly<Record<Sample["name"], number>> = {
  shop: 200_000,
  browser: 80_000,
  tiny: 80_000,
};

/** One model for each wire that takes tools there; OpenAI's own want the Responses API for that. */
const models: Readonly<Record<Wire, string>> = {
  anthropic: "claude-sonnet-5-5",
  chat: "kimi-k3",
  responses: "gpt-6.2-sol",
  gemini: "gemini-4-argon",
};

/** `varve demo`: a whole session on a sample project against the simulator, then the same without reductions. */
export async function runDemo(flags: DemoFlags): Promise<number> {
  const wire = oneOf<Wire>("--wire", wires, flags.wire ?? "anthropic");
  const sample = sampleFor(flags);
  const browser = flags.browser === true ? browserHere() : null;
  const window = positive("--window", flags.window) ?? windowTokensUsual[sample.name];
  const folder = await mkdtemp(join(tmpdir(), "varve-demo-"));
  const work = resolve(flags.work ?? join(folder, "work"));
  const home = resolve(flags.home ?? join(folder, "home"));
  await sample.copyTo(work);
  await mkdir(home, { recursive: true });
  say(`The sample project: ${work}`);
  const before = await sample.test(work);
  say(`Its tests: ${before.passed} passed, ${before.failed} failed.`);

  const output = join(folder, "browser");
  const common = { sample, browser, output, model: modelFor(wire, window), windowTokens: window };
  const managed = await played({ ...common, work, home, reductions: "on", onLine: say, url: flags.baseUrl ?? null });
  const after = await sample.test(work);
  if (managed.turn.reason !== "done") {
    say(`varve: ${managed.turn.reason}: ${managed.turn.detail}`);
    return exitOfTurn[managed.turn.reason];
  }
  say("\nThe same again with every reduction off, to compare.");
  const bare = { work: join(folder, "bare-work"), home: join(folder, "bare-home") };
  await sample.copyTo(bare.work);
  const unmanaged = await played({ ...common, ...bare, reductions: "off", onLine: () => {}, url: null });

  const log = join(home, "sessions", managed.session, "main.jsonl");
  const sampleTests = { before, after };
  const report = reportOf(managed.run, unmanaged.run, {
    wire,
    sample: sample.name,
    window,
    redone: managed.redone,
    turns: managed.turns,
    sampleTests,
    log,
  });
  process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : reportText(report));
  const isDone = after.failed === 0 && !managed.turn.text.startsWith(stuckWords);
  return isDone ? exitCodes.done : exitCodes.failed;
}

function sampleFor(flags: DemoFlags): Sample {
  if (flags.browser === true) {
    if (flags.short === true) throw new UsageError("demo: --browser and --short ask for different samples; name one.");
    const sample = browserSample();
    if (sample === null) throw new UsageError(browserMissing);
    return sample;
  }
  if (flags.short === true) return tinySample();
  const shop = shopSample();
  if (shop !== null) return shop;
  say(
    "The packages of the larger sample are not installed here (they are in a clone of the repository): this is the short one.",
  );
  return tinySample();
}

export function modelFor(wire: Wire, window: number): ModelChoice {
  const usual = usualModel(models[wire], wire);
  // An answer must leave room for the work; the usual size is meant for far larger windows.
  return { ...usual, outputTokensMax: Math.min(usual.outputTokensMax, Math.floor(window / 10)) };
}
