import type { Session } from "../agent/session.ts";
import { addUsage, noUsage, type Usage } from "../kernel/usage.ts";

/** Answers of the model, and the tokens they are reported with. */
export type Spent = { readonly steps: number; readonly usage: Usage };

const nothingSpent: Spent = { steps: 0, usage: noUsage };

/** What a session spends from here on. */
export function spending(session: Pick<Session, "listen">): () => Spent {
  let spent = nothingSpent;
  session.listen((event) => {
    if (event.type !== "entry" || event.entry.type !== "response-received") return;
    spent = { steps: spent.steps + 1, usage: addUsage(spent.usage, event.entry.usage ?? noUsage) };
  });
  return () => spent;
}
