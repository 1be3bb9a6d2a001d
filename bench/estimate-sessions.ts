import { join } from "node:path";
import { estimate } from "../src/budget/count.ts";
import { counterOf } from "../src/replay/count.ts";
import { explain, type Told } from "./estimate-explain.ts";
import { type Gates, gatesOf, type NotInFile, notInFile } from "./estimate-gates.ts";
import { withImages } from "./estimate-segments.ts";
import { walk } from "./estimate-walk.ts";
import { readSession, sessionNames } from "./replay-data.ts";

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
  const exactOf = await counterOf("o200k");
  const own: Own[] = [];
  const leftOut: { readonly session: string; readonly why: string }[] = [];
  for (const [row, session] of (await sessionNames(folder)).entries()) {
    const read = await readSession(join(folder, session), { session, tokensOf: estimate, itemOf: withImages });
    if (read.type === "left-out") {
      leftOut.push({ session, why: read.why });
      continue;
    }
    const { format, recording } = read;
    own.push({ session, format, row, told: explain([...walk(recording, format)], exactOf) });
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

function measured(own: readonly Own[]): Measured {
  const told = own.flatMap((one) => one.told);
  return {
    raw: gatesOf(told),
    inFile: gatesOf(told.filter(({ inFile }) => inFile === "whole")),
    notInFile: notInFile(told),
  };
}
