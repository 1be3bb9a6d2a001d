import { parseHTML } from "linkedom";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import { parseJson } from "../src/kernel/json.ts";
import type { Output } from "./digest-data.ts";
import { formOf } from "./digest-form.ts";
import type { OutputType } from "./questions/types.ts";
import { rounded } from "./timing.ts";

export type Speed = {
  readonly type: OutputType;
  /** Time of the yardstick by ours: 0.2 is a fifth of its speed. */
  readonly ratio: number;
  readonly against: string;
  /** Our time for twice the text by our time for the text: 2 is linear. */
  readonly growth: number;
};

const charsMin = 1_000_000;
/** Both sides are run as often before they are timed: what a program does all day is compiled. */
const warmUps = 10;
const runs = 15;

/** First forms of a megabyte of each type beside what reading it costs anyhow, in turns, so that a slow moment hits both. */
export function speedsOf(outputs: readonly Output[]): readonly Speed[] {
  const types = [...new Set(outputs.map(({ type }) => type))].toSorted();
  return types.map((type) => {
    const texts = outputs.filter((output) => output.type === type).map(({ text }) => text);
    const { name, read } = yardstick[type] ?? lines;
    const once = textOf(type, texts, charsMin);
    const twice = textOf(type, texts, 2 * charsMin);
    for (let run = 0; run < warmUps; run++) {
      read(once);
      digested(once);
      digested(twice);
    }
    const times = { ours: [] as number[], theirs: [] as number[], double: [] as number[] };
    for (let run = 0; run < runs; run++) {
      times.theirs.push(timed(() => read(once)));
      times.ours.push(timed(() => digested(once)));
      times.double.push(timed(() => digested(twice)));
    }
    // The best of the runs: whatever else the machine does only ever adds.
    const [ours, theirs, double] = [Math.min(...times.ours), Math.min(...times.theirs), Math.min(...times.double)];
    const twofold = 2 / (twice.length / once.length);
    return { type, ratio: rounded(theirs / ours), against: name, growth: rounded((double / ours) * twofold) };
  });
}

type Yardstick = { readonly name: string; readonly read: (text: string) => unknown };

const lines: Yardstick = { name: "splitting into lines", read: (text) => text.split("\n") };

/** Page snapshots have no parser of their own here: they are read by lines. */
const yardstick: Partial<Readonly<Record<OutputType, Yardstick>>> = {
  json: { name: "JSON.parse", read: (text) => JSON.parse(text) },
  page: { name: "linkedom", read: (text) => parseHTML(text).document.title },
};

/** Made when a result is stored, so it is no part of the form's time. */
const handle = handleOf(hashOf(""));

function digested(text: string): string {
  return formOf({ tool: "Bash", text, exitCode: null, handle });
}

/** The texts of a type over and over; of JSON one list of them. */
function textOf(type: OutputType, texts: readonly string[], charsMin: number): string {
  const parts: string[] = [];
  for (let chars = 0, at = 0; chars < charsMin; at++) {
    const text = texts[at % texts.length] || "\n";
    parts.push(type === "json" ? valueText(text) : text);
    chars += text.length;
  }
  return type === "json" ? `[${parts.join(",\n")}]` : parts.join("\n");
}

/** JSON of one value in each line is made one list. */
function valueText(text: string): string {
  if (parseJson(text).type === "ok") return text;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return `[${lines.join(",")}]`;
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
