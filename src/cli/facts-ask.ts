import { createInterface } from "node:readline/promises";
import type { Proposal } from "../log/facts.ts";
import type { OpenSession } from "../session/options.ts";
import { quoted, say } from "./terminal.ts";

/** After a turn: what it proposed as a fact is put to the user; where nobody can answer, how to answer later is said. */
export async function askAboutFacts(session: OpenSession, before: readonly Proposal[]): Promise<void> {
  const { proposed } = session.state().facts;
  const fresh = proposed.filter(({ id }) => !before.some((one) => one.id === id));
  if (fresh.length === 0) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return later(fresh);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (const { id, text } of fresh) {
      const answer = (await terminal.question(`${quoted(text)}\n${question}`)).trim();
      const scope = /^y(es)?$/i.test(answer) ? "session" : /^p(roject)?$/i.test(answer) ? "project" : null;
      if (scope === null && !/^no?$/i.test(answer)) continue;
      const command =
        scope === null ? ({ type: "refuse", fact: id } as const) : ({ type: "accept", fact: id, scope } as const);
      const change = await session.changeFacts(command);
      say(`varve: ${change.type === "changed" ? change.said : change.why}`);
    }
  } catch (error) {
    // Ctrl-C or Ctrl-D at the question: the turn is done all the same, and what was not answered waits.
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    say("\nvarve: left for later; `varve facts` lists what is proposed");
  } finally {
    terminal.close();
  }
}

const question = "Keep this as a fact, in every request? [y: this session, p: the project, n: never, Enter: later] ";

function later(fresh: readonly Proposal[]): void {
  for (const { id, text } of fresh)
    say(`varve: proposed as a fact: ${JSON.stringify(text)}; \`varve facts accept ${id}\` keeps it`);
}
