import type { Session } from "../agent/session.ts";
import type { Mask } from "../secrets/mask.ts";

/** What the user types, with a mask on the secrets of the environment in it; `onMasked` is told once. */
export function maskedInput(
  session: Session,
  mask: Mask,
  onMasked: () => void,
): Pick<Session, "prompt" | "changeFacts"> {
  let told = false;
  return {
    async prompt(text, typed = text) {
      const masked = mask.values(text);
      if (masked !== text && !told) onMasked();
      told ||= masked !== text;
      return await session.prompt(masked, mask.values(typed));
    },
    changeFacts: (command) =>
      session.changeFacts("text" in command ? { ...command, text: mask.values(command.text) } : command),
  };
}
