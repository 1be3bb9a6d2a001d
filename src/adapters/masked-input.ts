import type { CommandCall } from "../agent/command-call.ts";
import type { Session } from "../agent/session.ts";
import type { Mask } from "../secrets/mask.ts";
import { maskedLimits } from "./masked-limits.ts";

export type MaskedInput = {
  readonly input: Pick<Session, "prompt" | "call" | "activateSkill" | "changeFacts" | "compact">;
  /** A command as it may be carried out, wherever that is: its file is no word of the user's, and is masked like any other. */
  readonly maskedCall: (command: CommandCall) => CommandCall;
};

/** What the user types, with a mask on the secrets of the environment in it; `onMasked` is told once. */
export function maskedInput(session: Session, mask: Mask, onMasked: () => void): MaskedInput {
  let told = false;
  const maskedWords = (text: string) => {
    const masked = mask.values(text);
    if (masked !== text && !told) onMasked();
    told ||= masked !== text;
    return masked;
  };
  const maskedCall: MaskedInput["maskedCall"] = (command) => {
    const { typed, body, limits } = command;
    return { ...command, typed: maskedWords(typed), body: mask.text(body), limits: maskedLimits(limits, mask) };
  };
  const input: MaskedInput["input"] = {
    prompt: (text, typed = text) => session.prompt(maskedWords(text), mask.values(typed)),
    call: (command) => session.call(maskedCall(command)),
    activateSkill: (skill, typed) => session.activateSkill(skill, maskedWords(typed)),
    // What a summary is to be most exact about is sent, and kept in the log.
    compact: ({ focus = "", ...what } = {}) => session.compact({ ...what, focus: maskedWords(focus) }),
    changeFacts: (command) =>
      session.changeFacts("text" in command ? { ...command, text: mask.values(command.text) } : command),
  };
  return { input, maskedCall };
}
