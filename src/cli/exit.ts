import type { TurnEnd } from "../log/entry.ts";

/** Exit codes, as the README lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  stepLimit: 3,
  refused: 4,
  gaveUp: 5,
  interrupted: 130,
} as const;

export const exitOfTurn: Readonly<Record<TurnEnd, number>> = {
  done: exitCodes.done,
  failed: exitCodes.failed,
  "window-too-small": exitCodes.failed,
  "step-limit": exitCodes.stepLimit,
  "permission-refused": exitCodes.refused,
  "provider-gave-up": exitCodes.gaveUp,
  interrupted: exitCodes.interrupted,
};

/** What a person can do about a turn that ended early; null where nothing is left to say. */
export const nextOfTurn: Readonly<Record<TurnEnd, string | null>> = {
  done: null,
  failed: null,
  "window-too-small": "name a model with a larger window (--model), or start a new session",
  "step-limit": "`varve -p --continue` goes on",
  "permission-refused": "--permission-mode and --allowed-tools say what may run (docs/permissions.md)",
  "provider-gave-up": "`varve doctor` checks key, address and provider; `varve -p --continue` tries again",
  interrupted: "`varve -p --continue` goes on",
};

/** Bad arguments or settings: `message` names what was wrong, what was expected and what to do. Ends with exit code 2. */
export class UsageError extends Error {}

/** There is no key for the provider. */
export class NoKeyError extends UsageError {}

/** No model is named, and the provider has no usual one. */
export class NoModelError extends UsageError {}

/** A command that cannot do what it was asked for: one plain line, exit code 1. */
export class CommandError extends Error {}
