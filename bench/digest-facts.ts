import { bounds } from "../src/kernel/bounds.ts";
import type { Output } from "./digest-data.ts";
import { errorLine, failingTest, placeIn } from "./questions/failing.ts";
import { readingOf } from "./questions/reading.ts";

export type Shown = { readonly output: Output; readonly form: string };

/** What must never be missing from the output of a command, in percent of what the originals have. */
export function factsOf(
  all: readonly Shown[],
): Readonly<Record<"failingTests" | "errorLines" | "places" | "exitCodes", number>> {
  const commands = all.filter(({ output }) => reporting.has(output.type));
  return {
    failingTests: kept(commands, ({ type }) => type === "tests", failingTest),
    errorLines: kept(commands, () => true, errorLine),
    places: kept(
      commands,
      () => true,
      (line) => (errorLine(line) === null ? null : placeIn(line)),
    ),
    exitCodes: exitCodes(all),
  };
}

const reporting: ReadonlySet<Output["type"]> = new Set(["tests", "build", "command", "trace", "log"]);

function kept(
  all: readonly Shown[],
  among: (output: Output) => boolean,
  fact: (line: string) => string | null,
): number {
  let [there, shown] = [0, 0];
  for (const { output, form } of all.filter((one) => among(one.output))) {
    const facts = factsIn(output.text, fact);
    const found = factsIn(form, fact);
    there += facts.size;
    shown += [...facts].filter((one) => found.has(one)).length;
  }
  return percent(shown, there);
}

/** No form shows a longer line whole: such a line can be no fact. */
function factsIn(text: string, fact: (line: string) => string | null): ReadonlySet<string> {
  const whole = readingOf(text).lines.filter((line) => !line.cut && line.text.length <= bounds.lineCharsMax);
  return new Set(whole.map((line) => fact(line.text)).filter((one) => one !== null));
}

function exitCodes(all: readonly Shown[]): number {
  const known = all.filter(({ output }) => output.exitCode !== null);
  const said = known.filter(({ output, form }) => readingOf(form).exitCode === output.exitCode);
  return percent(said.length, known.length);
}

/** 100 where there is nothing to keep. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.round((part / whole) * 1_000) / 10;
}
