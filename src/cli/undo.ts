import type { State } from "../log/state.ts";
import { modelAsItIs } from "./chosen-model.ts";
import { modelOf, refused, whyNotNow } from "./compact-asked.ts";
import { counted, many } from "./compact-text.ts";
import { exitCodes } from "./exit.ts";
import { openHome, sessionNamed } from "./home.ts";
import { sessionAsItIs, stateOf } from "./open-session.ts";
import { homeOf } from "./settings.ts";

type UndoFlags = { readonly session?: string; readonly json?: boolean; readonly window?: string };

/** `varve undo`: what the newest compaction or collapse took away is back as it was. No model is asked. */
export async function runUndo(flags: UndoFlags): Promise<number> {
  const home = await openHome(homeOf(process.env), process.cwd());
  const session = await sessionNamed(home, flags.session);
  const state = await stateOf(home, session);
  const why =
    state.undoable === null && state.turn === null ? "there is no compaction that can be undone" : whyNotNow(state);
  if (why !== null) return refused(session, why, flags);
  const chosen = await modelAsItIs(flags, home.root, modelOf(state));
  const open = await sessionAsItIs(home, state, session, { chosen });
  try {
    const result = await open.undo();
    if (result.type === "refused") return refused(session, result.why, flags);
    const back = backOf(state);
    process.stdout.write(
      flags.json === true ? `${JSON.stringify({ ...result, session, ...back })}\n` : undoneText(back, result.tokens),
    );
    return exitCodes.done;
  } finally {
    await open.close();
  }
}

type Back = {
  /** The entry that is undone, and what it was. */
  readonly entry: number;
  readonly reason: string;
  readonly messages: number;
  readonly calls: number;
  readonly results: number;
};

function backOf({ undoable, live }: State): Back {
  const left = new Set(live.map(({ id }) => id));
  const gone = (undoable?.live ?? []).filter(({ id }) => !left.has(id));
  return {
    entry: undoable?.seq ?? 0,
    reason: undoable?.reason ?? "",
    messages: gone.filter((piece) => piece.role === "user" && piece.kind === "message").length,
    calls: gone.filter(({ block }) => block.type === "tool-call").length,
    results: gone.filter(({ block }) => block.type === "tool-result").length,
  };
}

function undoneText({ entry, reason, messages, calls, results }: Back, tokens: number): string {
  const what = [many(messages, "message"), many(calls, "call"), many(results, "result")].join(", ");
  return `undone: ${reason} in entry ${counted(entry)}; back as they were: ${what}\nthe next request: about ${counted(tokens)} tokens\n`;
}
