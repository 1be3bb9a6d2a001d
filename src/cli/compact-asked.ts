import type { Reductions } from "../agent/reductions.ts";
import type { SessionId } from "../kernel/ids.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { SummaryScope } from "../log/summary.ts";
import type { Part } from "./compact-operands.ts";
import { CommandError, exitCodes } from "./exit.ts";
import type { OpenFlags } from "./open-session.ts";
import { chosenReductions } from "./settings.ts";
import { say } from "./terminal.ts";

export type CompactFlags = Omit<OpenFlags, "model"> & {
  readonly session?: string;
  readonly preview?: boolean;
  readonly json?: boolean;
  /** `false`: `--no-model`. */
  readonly model?: string | false;
};

/** What is compacted, of which session. */
export type Asked = {
  readonly session: SessionId;
  readonly state: State;
  readonly part: Part;
  /** The part, as the session names it. */
  readonly scope: SummaryScope;
  readonly focus: string;
};

/** What can be seen before a session is taken, and needs no key. */
export function whyNotNow({ epoch, turn }: State): string | null {
  if (turn !== null)
    return "a turn is open: wait for its end, or where it was broken off, finish it with `varve -p --continue`";
  return epoch === null ? "nothing was sent yet: there is nothing to compact" : null;
}

export function modelOf({ model }: State): ModelChoice {
  if (model === null) throw new CommandError("the session has lost the entry that names its model");
  return model;
}

/** The flag that says that no model is to be asked; null: one may be. */
export function noModelFlag({ model, summaries }: CompactFlags): string | null {
  if (model === false) return "--no-model";
  return summaries === "off" ? "--summaries off" : null;
}

export function reductionsOf(flags: CompactFlags): { readonly reductions: Partial<Reductions> } {
  const chosen = chosenReductions(flags);
  return { reductions: flags.model === false ? { ...chosen, summaries: "off" } : chosen };
}

/** Why not, on stderr, and for programs on stdout. */
export function refused(
  session: SessionId,
  why: string,
  { json }: { readonly json?: boolean },
  code: number = exitCodes.failed,
): number {
  if (json === true) process.stdout.write(`${JSON.stringify({ type: "refused", session, why })}\n`);
  say(`varve: ${why}`);
  return code;
}
