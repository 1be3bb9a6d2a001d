import type { SessionEvent } from "../agent/config.ts";
import type { OpenSession } from "../session/options.ts";
import { type Spent, spending } from "../session/spent.ts";
import { progressLine } from "./progress.ts";
import { say } from "./terminal.ts";

/** Shows what happens, and counts what the result reports. */
export function watch(session: OpenSession, format: string): () => Spent {
  session.listen((event: SessionEvent) => {
    if (format === "stream-json" && event.type === "entry")
      process.stdout.write(`${JSON.stringify({ type: "entry", entry: event.entry })}\n`);
    const line = progressLine(event);
    if (format !== "stream-json" && line !== null && line !== "") say(line);
  });
  return spending(session);
}
