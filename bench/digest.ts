import { dataIn, refused } from "./data-args.ts";
import { answersOf, type Wrong } from "./digest-answers.ts";
import { type Output, outputsIn } from "./digest-data.ts";
import { factsOf, percent } from "./digest-facts.ts";
import { formOf, headTailOf } from "./digest-form.ts";
import { countable, shownOf } from "./digest-needed.ts";
import { speedsOf } from "./digest-speed.ts";
import { digestTables } from "./results-tables.ts";

/**
 * `bench digest [--data DIR]`: what first forms keep of real outputs (METRICS 2). Figures are percent, classes weigh the
 * same; a class in whose outputs nothing was needed later is scored by the questions that its first forms still answer.
 */
export async function runDigest(args: readonly string[]): Promise<object | string> {
  const { outputs, skipped } = await outputsIn(dataIn("digest", args)).catch((error: unknown) =>
    refused("digest", error instanceof Error ? error.message : String(error)),
  );
  for (const why of skipped) process.stderr.write(`bench digest: tool-outputs/outputs.jsonl: ${why}\n`);
  const report = { ...reportOf(outputs), speed: speedsOf(outputs) };
  return args.includes("--json") ? report : digestTables(report);
}

export type DigestReport = {
  readonly outputs: number;
  readonly needed: number;
  readonly kept: number;
  readonly chars: number;
  /** Beginning and end at the same characters. */
  readonly headTail: number;
  readonly wrong: number;
  readonly classes: readonly ClassRow[];
  readonly failingTests: number;
  readonly errorLines: number;
  readonly places: number;
  readonly exitCodes: number;
  readonly types: readonly TypeRow[];
  readonly wrongAnswers: readonly Wrong[];
};

export type ClassRow = {
  readonly cls: string;
  readonly outputs: number;
  readonly needed: number;
  readonly kept: number;
  readonly chars: number;
  readonly headTail: number;
};

/** Questions of a type, and what became of them. */
type TypeRow = {
  readonly type: string;
  readonly outputs: number;
  readonly asked: number;
  readonly answered: number;
  readonly wrong: number;
};

export function reportOf(outputs: readonly Output[]): DigestReport {
  const measured = outputs.map(measure);
  const classes = groups(measured, ({ output }) => output.cls).map(([cls, of]) => classRow(cls, of));
  const mean = (value: (row: ClassRow) => number) =>
    Math.round((classes.reduce((sum, row) => sum + value(row), 0) / Math.max(1, classes.length)) * 10) / 10;
  const wrongAnswers = measured.flatMap(({ answers }) => answers.wrong);
  return {
    outputs: outputs.length,
    needed: sum(measured, ({ needed }) => needed),
    kept: mean(({ kept }) => kept),
    chars: mean(({ chars }) => chars),
    headTail: mean(({ headTail }) => headTail),
    wrong: wrongAnswers.length,
    classes,
    ...factsOf(measured),
    types: groups(measured, ({ output }) => output.type).map(([type, of]) => typeRow(type, of)),
    wrongAnswers,
  };
}

type Measured = ReturnType<typeof measure>;

function measure(output: Output) {
  const form = formOf(output);
  const plain = headTailOf(output.text, form.length);
  const needed = countable(output);
  const shown = shownOf({ ...output, needed });
  return {
    output,
    form,
    needed: needed.length,
    kept: shown(form).filter(Boolean).length,
    headTail: shown(plain).filter(Boolean).length,
    answers: answersOf(output, form),
    plainAnswers: answersOf(output, plain),
  };
}

function classRow(cls: string, of: readonly Measured[]): ClassRow {
  const needed = sum(of, (one) => one.needed);
  const asked = sum(of, ({ answers }) => answers.asked);
  const score = (kept: number, right: number) => (needed > 0 ? percent(kept, needed) : percent(right, asked));
  return {
    cls,
    outputs: of.length,
    needed,
    kept: score(
      sum(of, ({ kept }) => kept),
      sum(of, ({ answers }) => answers.right),
    ),
    chars: percent(
      sum(of, ({ form }) => form.length),
      sum(of, ({ output }) => output.text.length),
    ),
    headTail: score(
      sum(of, ({ headTail }) => headTail),
      sum(of, ({ plainAnswers }) => plainAnswers.right),
    ),
  };
}

function typeRow(type: string, of: readonly Measured[]): TypeRow {
  const asked = sum(of, ({ answers }) => answers.asked);
  return {
    type,
    outputs: of.length,
    asked,
    answered: percent(
      sum(of, ({ answers }) => answers.right),
      asked,
    ),
    wrong: sum(of, ({ answers }) => answers.wrong.length),
  };
}

function sum<T>(of: readonly T[], value: (one: T) => number): number {
  return of.reduce((total, one) => total + value(one), 0);
}

function groups<T>(all: readonly T[], key: (one: T) => string): readonly (readonly [string, readonly T[]])[] {
  return [...Map.groupBy(all, key)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
