import { isRecord } from "../kernel/canonical.ts";
import { recordAt, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

/**
 * What the program puts beside a message: files, reminders, listings, words of hooks. What has a text reached the model
 * as one; a message that was typed while the model worked is such an attachment, too.
 */
export function attachmentBodies(record: Raw, raw: string): readonly ItemBody[] {
  const attachment = recordAt(record, "attachment");
  const kind = stringAt(attachment, "type");
  const { text, images } = contentOf(wordsOf(attachment));
  if (isSilent(kind) || (text === "" && images === 0)) return [{ type: "unknown", kind: `attachment/${kind}`, raw }];
  return [{ type: "message", from: kind === "queued_command" ? "typed" : "injected", text, images }];
}

/** Of hooks only what was meant for the model is shown to it. */
function isSilent(kind: string): boolean {
  return kind.startsWith("hook_") && kind !== "hook_additional_context" && kind !== "hook_blocking_error";
}

function wordsOf(attachment: Raw): unknown {
  const found = fields.map((field) => attachment[field]).find((value) => value !== undefined && value !== null);
  // A file is an object in an object.
  if (isRecord(found) && isRecord(found.file)) return found.file;
  return found ?? attachment.file;
}

const fields = ["prompt", "content", "text", "snippet", "additionalContext", "message", "blockingError", "addedLines"];
