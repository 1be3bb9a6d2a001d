import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { opencodeReader } from "./opencode-reader.ts";
import type { Raw } from "./record.ts";
import type { DocumentFormat, Item, LineFormat } from "./transcript.ts";

/**
 * opencode as JSON: a session as `opencode export` writes it, or one message of the storage before version 1.2, which
 * holds what the call cost and none of its texts. The database is read by `adapters/opencode.ts`.
 */
export const opencodeDocument: DocumentFormat = {
  format: "opencode",
  recognises: (value) => isRecord(value) && (isExport(value) || isMessage(value)),
  read: (value) => {
    const document = recordOf(value);
    const reader = opencodeReader();
    const info = recordAt(document, "info");
    if (!isExport(document))
      return [
        ...reader.session({ id: stringAt(document, "sessionID"), directory: null, version: null, at: null }, "main"),
        ...reader.message({ id: stringAt(document, "id"), at: null, info: document, parts: [] }),
      ];
    const directory = stringAt(info, "directory") || null;
    const session = { id: stringAt(info, "id"), directory, version: stringAt(info, "version") || null };
    return [
      ...reader.session({ ...session, at: recordAt(info, "time").created }, "main"),
      ...listAt(document, "messages").flatMap((one) => {
        const message = recordAt(recordOf(one), "info");
        const parts = listAt(recordOf(one), "parts").map(recordOf);
        return reader.message({ id: stringAt(message, "id"), at: null, info: message, parts });
      }),
    ];
  },
};

/** Records of the older storage, one per line: each message, and behind it its parts. */
export const opencodeLines: LineFormat = {
  format: "opencode",
  recognises: (records) => records.some(isMessage) && records.every((record) => isMessage(record) || isPart(record)),
  open: () => {
    const reader = opencodeReader();
    const sessions = new Set<string>();
    let held: { readonly info: Raw; readonly parts: Raw[] } | null = null;

    const release = (): readonly Item[] => {
      if (held === null) return [];
      const { info, parts } = held;
      held = null;
      const id = stringAt(info, "sessionID");
      const isNew = !sessions.has(id);
      sessions.add(id);
      const session = { id, directory: null, version: null, at: recordAt(info, "time").created };
      const opening = isNew ? reader.session(session, sessions.size === 1 ? "main" : id) : [];
      return [...opening, ...reader.message({ id: stringAt(info, "id"), at: null, info, parts })];
    };

    return {
      line: (record) => {
        if (isPart(record) && held !== null && held.info.id === record.messageID) {
          held.parts.push(record);
          return [];
        }
        const before = release();
        if (isMessage(record)) held = { info: record, parts: [] };
        return isMessage(record) ? before : [...before, ...reader.unknown(record)];
      },
      end: release,
    };
  },
};

function isExport(value: Raw): boolean {
  if (typeof recordAt(value, "info").id !== "string" || !Array.isArray(value.messages)) return false;
  return value.messages.every((one) => isRecord(one) && isRecord(one.info) && Array.isArray(one.parts));
}

function isMessage(value: Raw): boolean {
  const isOfModel = isRecord(value.tokens) && typeof value.modelID === "string";
  const hasIds = typeof value.id === "string" && typeof value.sessionID === "string";
  return hasIds && ((value.role === "assistant" && isOfModel) || (value.role === "user" && isRecord(value.time)));
}

function isPart(value: Raw): boolean {
  return ["id", "messageID", "sessionID", "type"].every((key) => typeof value[key] === "string");
}
