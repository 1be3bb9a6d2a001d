import type { TurnResult } from "../agent/session.ts";
import type { Proposal } from "../log/facts.ts";
import type { OpenSession } from "../session/options.ts";
import type { Spent } from "../session/spent.ts";
import { nextOfTurn } from "./exit.ts";
import { askAboutFacts } from "./facts-ask.ts";
import { endingInLine, printable, say } from "./terminal.ts";

/** How a turn ended, on stderr, and what it answered, on stdout; then what it proposed as facts beside those that waited. */
export async function finishTurn(
  format: string,
  session: OpenSession,
  { turn, spent, waiting }: { readonly turn: TurnResult; readonly spent: Spent; readonly waiting: readonly Proposal[] },
): Promise<void> {
  writeResult(format, session, turn, spent);
  await askAboutFacts(session, waiting);
}

function writeResult(format: string, session: OpenSession, turn: TurnResult, spent: Spent): void {
  if (turn.reason !== "done" || turn.detail !== "")
    say(`varve: ${turn.reason}${turn.detail === "" ? "" : `: ${turn.detail}`}`);
  const next = nextOfTurn[turn.reason];
  if (next !== null) say(`varve: ${next}`);
  const text = process.stdout.isTTY ? printable(turn.text) : turn.text;
  if (format === "text") process.stdout.write(endingInLine(text));
  else process.stdout.write(`${JSON.stringify({ type: "result", session: session.id, ...turn, ...spent })}\n`);
}
