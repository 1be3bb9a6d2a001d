/** A fact from outside as observed: `key` names it, `text` says it. */
export type Observation = { readonly key: string; readonly text: string };

/**
 * The user-context block that stands in front of the messages (M-53): what was observed, in a fixed order of keys.
 * It is stored as text when an epoch opens and never rebuilt while the epoch lasts.
 */
export function userContextText(observed: Readonly<Record<string, string>>): string {
  const lines = contextKeys.flatMap((key) => {
    const text = observed[key];
    return text === undefined || text === "" ? [] : [`${key}: ${text}`];
  });
  return reminderText(["Facts about this session, as of its start:", ...lines].join("\n"));
}

/** A change after that: one block of its own at the tail; the block in front stays as it was first sent. */
export function changeText(changes: readonly Observation[]): string {
  const lines = changes.map(({ key, text }) => `${key} is now: ${text === "" ? "(none)" : text}`);
  return reminderText(lines.join("\n"));
}

export function reminderText(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

const contextKeys = ["date", "platform", "shell", "working directory", "git"] as const;
