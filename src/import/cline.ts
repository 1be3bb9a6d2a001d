import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { clineAnswer, clineMessage } from "./cline-message.ts";
import { clineScreen, isScreen } from "./cline-screen.ts";
import { unknownBody } from "./document.ts";
import { placed, timeOf } from "./place.ts";
import type { Raw } from "./record.ts";
import type { DocumentFormat, Item, ItemBody } from "./transcript.ts";

/**
 * Cline: `*.messages.json` (2026), and of a task of the older extension `api_conversation_history.json` and
 * `ui_messages.json`. The latter two stand side by side and are read apart: the first has what the model saw, the second
 * what it cost.
 */
export const cline: DocumentFormat = {
  format: "cline",
  recognises: (value) => isSession(value) || isHistory(value) || isScreen(value),
  read: (value) => {
    if (isScreen(value)) return clineScreen(value.map(recordOf));
    const session = recordOf(value);
    const messages: readonly unknown[] = Array.isArray(value) ? value : listAt(session, "messages");
    return [
      ...openingItems(session),
      ...messages.flatMap((message, index) =>
        messageItems(recordOf(message), index + 1, stringAt(session, "sessionId")),
      ),
    ];
  },
};

function isSession(value: unknown): boolean {
  if (!isRecord(value) || !isHistory(value.messages)) return false;
  return (
    typeof value.sessionId === "string" || typeof value.system_prompt === "string" || typeof value.agent === "string"
  );
}

/** Messages as they are sent to a model: also those of other programs in the same shape. */
function isHistory(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.slice(0, messagesSniffed).every((message) => {
    const { role, content } = recordOf(message);
    const isText = typeof content === "string" || (Array.isArray(content) && content.every(isRecord));
    return (role === "user" || role === "assistant") && isText;
  });
}

const messagesSniffed = 20;

function openingItems(session: Raw): readonly Item[] {
  const place = { line: 1, at: null, lane: "main" };
  const cwd = stringAt(session, "cwd") || stringAt(recordAt(session, "metadata"), "cwd") || null;
  const opening: ItemBody = { type: "session", session: stringAt(session, "sessionId") || null, cwd, version: null };
  const system = stringAt(session, "system_prompt") || stringAt(session, "systemPrompt");
  const head: readonly ItemBody[] = system === "" ? [] : [{ type: "head", part: "system", text: system }];
  return placed(place, [opening, ...head]);
}

function messageItems(message: Raw, line: number, session: string): readonly Item[] {
  const place = { line, at: timeOf(message.ts), lane: "main" };
  const role = stringAt(message, "role");
  if (role === "assistant") return placed(place, clineAnswer(message, line, session));
  return placed(place, role === "user" ? clineMessage(message) : [unknownBody(`role:${role}`, message)]);
}
