/** A fact from outside as observed: `key` names it, `text` says it. */
export type Observation = { readonly key: string; readonly text: string };

/**
 * The user-context block that stands in front of the messages (M-53): what was observed, in a fixed order of keys.
 * It is stored as text when an epoch opens and never rebuilt while the epoch lasts.
 */
export function userContextText(
  observed: Readonly<Record<string, string>>,
  keys: readonly string[] = [...stableKeys, ...changingKeys],
): string {
  return reminderText(["Facts about this session, as of its start:", ...factLines(observed, keys)].join("\n"));
}

export function factLines(observed: Readonly<Record<string, string>>, keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => {
    const text = observed[key];
    return text === undefined || text === "" ? [] : [`${key}: ${text}`];
  });
}

/** Facts that stay while a session lasts, and those that may change in it. */
export const stableKeys = ["platform", "shell"] as const;
export const changingKeys = ["date", "working directory", "git", "context budget"] as const;

/** A change after that: one block of its own at the tail; the block in front stays as it was first sent. */
export function changeText(changes: readonly Observation[]): string {
  const lines = changes.map(({ key, text }) => `${key} is now: ${text === "" ? "(none)" : text}`);
  return reminderText(lines.join("\n"));
}

/** Whoever wrote what stands in it (a file, a branch, a lane), it cannot end the frame, nor begin one. */
export function reminderText(text: string): string {
  return `<system-reminder>\n${inert(text)}\n</system-reminder>`;
}

/** What comes from outside cannot end the reminder it stands in, nor begin one. */
export function inert(text: string): string {
  return text.replaceAll(/<(?=\s*\/?\s*system-reminder)/gi, "&lt;");
}
