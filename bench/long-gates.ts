import type { Played } from "./long-play.ts";

/** Side requests that a turn may have beside its own: what a summary takes that fails on every rung, twice over. */
const moreRequestsMax = 12;

/** What must hold of any long session, whatever machine it was played on; each fault in words. */
export function longFaults({ simulation, seen, tally, turns }: Played): readonly string[] {
  const { overflows, violations } = simulation.report();
  const { requests, missing, examples } = seen.hidden;
  const ended = turns.filter(({ end }) => end !== "done");
  const busy = turns.filter(({ more }) => more > moreRequestsMax);
  const rules = Object.keys(violations);
  return [
    overflows === 0 ? "" : `${overflows} requests were larger than the window`,
    missing === 0 ? "" : `${missing} of ${requests} requests did not show a fact in force, such as ${examples[0]}`,
    rules.length === 0 ? "" : `the simulator refused requests: ${rules.join(", ")}`,
    ended.length === 0 ? "" : `${ended.length} turns were not done, such as: ${ended[0]?.end} (${ended[0]?.detail})`,
    busy.length === 0 ? "" : `${busy.length} turns had more than ${moreRequestsMax} model calls beside their own`,
    tally.firstFull === null ? "the window was never full" : "",
  ].filter((fault) => fault !== "");
}
