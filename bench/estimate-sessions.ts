import { createReadStream } from "node:fs";
import { join } from "node:path";
import { estimate } from "../src/budget/count.ts";
import { exactCounter } from "../src/budget/exact.ts";
import { readTranscript } from "../src/import/read.ts";
import type { Item } from "../src/import/transcript.ts";
import { record } from "../src/replay/record.ts";
import { explain, type Told } from "./estimate-explain.ts";
import { type Gates, gatesOf, type NotInFile, notInFile } from "./estimate-gates.ts";
import { withImages } from "./estimate-segments.ts";
import { walk } from "./estimate-walk.ts";
import { sessionNames } from "./replay-data.ts";

/** `raw`: every call. `inFile`: those calls of which the file holds the text; the rest is told in `notInFile`. */
type Measured = { readonly raw: Gates; readonly inFile: Gates; readonly notInFile: NotInFile };

export type SessionEstimates = {
  readonly all: Measured;
  /** By the line of `sessions/index.jsonl`, from 0: constants are fitted on even sessions. */
  readonly even: Measured;
  readonly odd: Measured;
  readonly sessions: readonly ({ readonly session: string; readonly format: string } & Measured)[];
  readonly leftOut: readonly { readonly session: string; readonly why: string }[];
};

type Own = { readonly session: string; readonly format: string; readonly row: number; readonly told: readonly Told[] };

/** METRICS 5 on recorded sessions: our own predictor before each recorded call, against what the provider reported. */
export async function sessionEstimates(folder: string): Promise<SessionEstimates> {
  const exactOf = remembered(await exactCounter());
  const own: Own[] = [];
  const leftOut: { readonly session: string; readonly why: string }[] = [];
  for (const [row, session] of (await sessionNames(folder)).entries()) {
    const read = await tellSession(folder, session, exactOf);
    if ("why" in read) leftOut.push({ session, why: read.why });
    else own.push({ session, row, ...read });
  }
  const half = (rest: 0 | 1) => own.filter(({ row }) => row % 2 === rest);
  return {
    all: measured(own),
    even: measured(half(0)),
    odd: measured(half(1)),
    sessions: own.map((one) => ({ session: one.session, format: one.format, ...measured([one]) })),
    leftOut,
  };
}

async function tellSession(
  folder: string,
  session: string,
  exactOf: (text: string) => number,
): Promise<Pick<Own, "format" | "told"> | { readonly why: string }> {
  try {
    const transcript = await readTranscript(createReadStream(join(folder, session)));
    if (transcript.type === "foreign") return { why: transcript.why };
    const items: Item[] = [];
    for await (const item of transcript.items) items.push(withImages(item));
    const recorded = record({ session, items, tokensOf: estimate });
    if (recorded.type === "no-usage") return { why: recorded.why };
    const { format } = transcript;
    return { format, told: explain([...walk(recorded.recording, format)], exactOf) };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function measured(own: readonly Own[]): Measured {
  const told = own.flatMap((one) => one.told);
  return {
    raw: gatesOf(told),
    inFile: gatesOf(told.filter(({ inFile }) => inFile === "whole")),
    notInFile: notInFile(told),
  };
}

/** The same text comes again in copies and repeated results. */
function remembered(exactOf: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    const tokens = before ?? exactOf(text);
    if (before === undefined) known.set(text, tokens);
    return tokens;
  };
}
