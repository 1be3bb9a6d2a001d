import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { opencodeReader } from "./opencode-reader.ts";
import type { Raw } from "./record.ts";
import type { DocumentFormat } from "./transcript.ts";

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

function isExport(value: Raw): boolean {
  if (typeof recordAt(value, "info").id !== "string" || !Array.isArray(value.messages)) return false;
  return value.messages.every((one) => isRecord(one) && isRecord(one.info) && Array.isArray(one.parts));
}

function isMessage(value: Raw): boolean {
  const isOfModel = isRecord(value.tokens) && typeof value.modelID === "string";
  const hasIds = typeof value.id === "string" && typeof value.sessionID === "string";
  return hasIds && ((value.role === "assistant" && isOfModel) || (value.role === "user" && isRecord(value.time)));
}
