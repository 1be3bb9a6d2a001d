import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { type GeminiConversation, geminiConversation } from "./gemini-conversation.ts";
import type { Raw } from "./record.ts";
import type { DocumentFormat, Item, LineFormat } from "./transcript.ts";

/** Gemini CLI as one document (`session-*.json`, before 2026) and as lines of an upsert log (`session-*.jsonl`). */
export const geminiDocument: DocumentFormat = {
  format: "gemini-cli",
  recognises: (value) => isRecord(value) && isHeader(value) && Array.isArray(value.messages) && hasMessages(value),
  read: (value) => {
    const conversation = geminiConversation();
    const header = recordOf(value);
    return [
      ...conversation.header(header, 1),
      ...listAt(header, "messages").flatMap((message, index) => conversation.message(recordOf(message), index + 1)),
      ...conversation.end(),
    ];
  },
};

export const geminiLines: LineFormat = {
  format: "gemini-cli",
  recognises: (records) => {
    // A document written in one line.
    if (records.length === 1 && records.some((record) => listAt(record, "messages").length > 0)) return false;
    return records.some((record) => isHeader(record) || isControl(record) || isMessage(record));
  },
  open: () => {
    const conversation = geminiConversation();
    return {
      line: (record, line) => lineItems(conversation, record, line),
      end: conversation.end,
    };
  },
};

function lineItems(conversation: GeminiConversation, record: Raw, line: number): readonly Item[] {
  if (typeof record.$rewindTo === "string") return conversation.rewind(record.$rewindTo, line);
  if (isRecord(record.$set)) {
    const set = recordAt(record, "$set");
    return Array.isArray(set.messages) ? conversation.replace(listAt(set, "messages").map(recordOf), line) : [];
  }
  if (!isHeader(record)) return conversation.message(record, line);
  // A header may carry the first messages.
  return [
    ...conversation.header(record, line),
    ...listAt(record, "messages").flatMap((message) => conversation.message(recordOf(message), line)),
  ];
}

function isHeader(record: Raw): boolean {
  const has = (key: string) => typeof record[key] === "string";
  return record.type === undefined && has("sessionId") && (has("projectHash") || has("startTime"));
}

function isControl(record: Raw): boolean {
  return typeof record.$rewindTo === "string" || isRecord(record.$set);
}

/** Only answers: other programs have lines of type `user` too. */
function isMessage(record: Raw): boolean {
  return record.type === "gemini" && typeof record.id === "string" && record.content !== undefined;
}

/** A document with other messages is another program's, which may have a session id as well. */
function hasMessages(document: Raw): boolean {
  const types = ["user", "gemini", "info", "error", "warning"];
  return listAt(document, "messages").every((message) => {
    const type = stringAt(recordOf(message), "type");
    return type === ""
      ? recordOf(message).role === undefined
      : types.includes(type) || recordOf(message).role === undefined;
  });
}
