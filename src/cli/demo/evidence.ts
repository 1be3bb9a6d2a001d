import type { Move, PlannedCall, Step } from "./plan.ts";
import { handleIn, type View } from "./view.ts";

export type Evidence = {
  /** Takes what the step needs out of one result; null when it is not in there. */
  readonly find: (text: string) => string | null;
  /** Brings the evidence into view when no result in view has it. */
  readonly source: PlannedCall;
  readonly follow: (found: string) => readonly PlannedCall[];
};

/**
 * A look at something whose name an earlier result has told: the newest result that names it counts. A source that was
 * asked and does not name it has nothing to follow.
 */
export function followUp(say: string, { find, source, follow }: Evidence, think?: string): Step {
  const act = (view: View): Move => {
    const found = resultsIn(view).reduce<string | null>((known, text) => known ?? find(text), null);
    if (found !== null) return { type: "do", calls: follow(found) };
    if (wasAsked(view, source)) return { type: "skip" };
    return { type: "look", why: "what it follows from is not in view", calls: [source] };
  };
  return { kind: "look", say, ...(think === undefined ? {} : { think }), act };
}

/** Searches the output of a command: in the original, by the handle of its short form, or in the file it was kept in. */
export function searchOutput(say: string, command: string, search: string, file: PlannedCall): Step {
  const act = (view: View): Move => {
    const calls = view.turns.flatMap((turn) => turn.calls);
    const output = calls.findLast((call) => call.input.command === command)?.result?.text ?? "";
    const handle = handleIn(output);
    return { type: "do", calls: [handle === null ? file : { tool: "recall", input: { handle, search } }] };
  };
  return { kind: "look", say, act };
}

/** The first group of each match, as `at` picks it: the first, the last, or by number. */
export function groupIn(pattern: RegExp, at = 0): Evidence["find"] {
  return (text) => [...text.matchAll(pattern)].map((match) => match[1] ?? "").at(at) ?? null;
}

function resultsIn(view: View): readonly string[] {
  return view.turns.flatMap((turn) => turn.calls.flatMap((call) => call.result?.text ?? [])).toReversed();
}

function wasAsked(view: View, { tool, input }: PlannedCall): boolean {
  const wanted = JSON.stringify(input);
  const calls = view.turns.flatMap((turn) => turn.calls);
  return calls.some((call) => call.result !== null && call.tool === tool && JSON.stringify(call.input) === wanted);
}
