import { bash, read } from "./moves.ts";
import type { Move, PlannedCall, Step } from "./plan.ts";
import { handleIn, type View } from "./view.ts";

/**
 * The way out of the one mistake the plan makes: the address pattern refuses a plus sign. The address that must be
 * accepted is read out of the failing test's name, and the pattern is changed only if it refuses that address.
 */
export function addressFix(path: string, tests: string): Step {
  const act = (view: View): Move => {
    const [line] = view.passages(path).flatMap((text) => /^const address = .*$/m.exec(text) ?? []);
    const last = lastRun(view, tests);
    // Both in one look: under a strict budget the first of two looks may be gone when the second is back.
    const lookAt = (why: string, ...calls: readonly PlannedCall[]): Move => ({
      type: "look",
      why,
      calls: [read(path), ...calls],
    });
    if (last === null) return lookAt("the test run is not in view", bash(`npx vitest run ${tests}`));
    if (line === undefined) return lookAt(`the lines of ${path} are not in view`, bash(`npx vitest run ${tests}`));
    const character = /(?:×|✗|FAIL).*?(\w+([^\w\s@.-])\w+@\S+) is an address/.exec(last.text)?.[2];
    if (character !== undefined) return change(path, line, character);
    if (/Tests\s+\d+ passed/.test(last.text) || line.includes("+-]")) return { type: "skip" };
    const handle = handleIn(last.text);
    const narrow = bash(`npx vitest run ${tests} -t "is an address"`);
    const again = handle === null ? narrow : { tool: "recall", input: { handle } };
    return lookAt("the failing test is not in view", again);
  };
  return {
    kind: "change",
    say: "One address is refused that the tests call an address. The pattern is mine, so the mistake is mine.",
    think: "The failing test names the address; the character before the @ part is what my pattern leaves out.",
    act,
  };
}

/** The summary says what the last visible test run said, not what was hoped for. */
export function testSummary(what: string): (view: View) => string {
  return (view) => {
    const runs = [...view.turns.flatMap((turn) => turn.calls.map((call) => call.result?.text ?? "")), ...view.notes];
    const counts = runs.flatMap((text) =>
      [...text.matchAll(/Tests\s+((?:\d+ failed \| )?\d+ passed)/g)].map((found) => found[1]),
    );
    const tests = counts.at(-1);
    return `Done: ${what}. ${tests === undefined ? "The last test run is no longer in view." : `Last test run: ${tests}.`}`;
  };
}

function change(path: string, line: string, character: string): Move {
  if (line.includes(`${character}-]`)) return { type: "skip" };
  return {
    type: "do",
    calls: [{ tool: "Edit", input: { path, old: line, new: line.replace("-]", `${character}-]`) } }],
  };
}

/** The newest text that shows the outcome of these tests: the run itself, or what was recalled of it. */
function lastRun(view: View, tests: string): { readonly text: string } | null {
  const calls = view.turns.flatMap((turn) => turn.calls).filter((call) => call.result !== null);
  const found = calls.findLast((call) => call.tool === "recall" || String(call.input.command).includes(tests));
  return found?.result ?? null;
}
