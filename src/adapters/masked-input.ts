import type { Session } from "../agent/session.ts";
import type { Mask } from "../secrets/mask.ts";

/** What the user types, with a mask on the secrets of the environment in it; `onMasked` is told once. */
export function maskedInput(
  session: Session,
  mask: Mask,
  onMasked: () => void,
): Pick<Session, "prompt" | "call" | "activateSkill" | "changeFacts" | "compact"> {
  let told = false;
  const maskedWords = (text: string) => {
    const masked = mask.values(text);
    if (masked !== text && !told) onMasked();
    told ||= masked !== text;
    return masked;
  };
  return {
    prompt: (text, typed = text) => session.prompt(maskedWords(text), mask.values(typed)),
    call: (command) => session.call({ ...command, typed: maskedWords(command.typed), body: mask.values(command.body) }),
    activateSkill: (skill, typed) => session.activateSkill(skill, maskedWords(typed)),
    // What a summary is to be most exact about is sent, and kept in the log.
    compact: ({ focus = "", ...what } = {}) => session.compact({ ...what, focus: maskedWords(focus) }),
    changeFacts: (command) =>
      session.changeFacts("text" in command ? { ...command, text: mask.values(command.text) } : command),
  };
}
