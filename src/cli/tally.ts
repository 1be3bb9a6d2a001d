import type { SessionEvent } from "../agent/config.ts";
import { addUsage, noUsage, type Usage } from "../kernel/usage.ts";
import type { OpenSession } from "../session/options.ts";
import { progressLine } from "./progress.ts";
import { say } from "./terminal.ts";

export type Tally = { readonly steps: number; readonly usage: Usage };

/** Shows what happens, and counts what the result reports. */
export function watch(session: OpenSession, format: string): () => Tally {
  let tally: Tally = { steps: 0, usage: noUsage };
  session.listen((event: SessionEvent) => {
    if (format === "stream-json" && event.type === "entry")
      process.stdout.write(`${JSON.stringify({ type: "entry", entry: event.entry })}\n`);
    const line = progressLine(event);
    if (format !== "stream-json" && line !== null && line !== "") say(line);
    if (event.type !== "entry" || event.entry.type !== "response-received") return;
    tally = { steps: tally.steps + 1, usage: addUsage(tally.usage, event.entry.usage ?? noUsage) };
  });
  return () => tally;
}
