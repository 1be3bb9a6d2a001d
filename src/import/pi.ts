import { isRecord } from "../kernel/canonical.ts";
import { recordAt, stringAt } from "../provider/lenient.ts";
import { piMessage } from "./pi-message.ts";
import { openPath } from "./pi-path.ts";
import { placed, timeOf } from "./place.ts";
import { type Raw, wordOf } from "./record.ts";
import type { Item, ItemBody, LineFormat, LineReader } from "./transcript.ts";

/** `~/.pi/agent/sessions/<folder>/<time>_<uuid>.jsonl` (PROTOCOLS I). */
export const pi: LineFormat = {
  format: "pi",
  recognises: (records) => records.some(isPi),
  open,
};

function isPi(record: Raw): boolean {
  if (typeof record.timestamp !== "string") return false;
  const { type } = record;
  if (type === "session") return typeof record.id === "string" && typeof record.cwd === "string";
  return type === "message" && /^(?:user|assistant|toolResult)$/.test(wordOf(recordAt(record, "message").role));
}

function open(): LineReader {
  const path = openPath();
  let emitted = 0;
  let calls = 0;
  const line: LineReader["line"] = (record, number, raw) => {
    const place = { line: number, at: timeOf(record.timestamp), lane: "main" };
    if (record.type === "session") {
      emitted += 1;
      return placed(place, [sessionBody(record)]);
    }
    const message = recordAt(record, "message");
    if (message.role === "assistant") calls += 1;
    const restart = path.branch(record.parentId);
    const made = bodiesOf(record, message, raw, calls, path);
    const bodies = [...restart, ...made];
    const from = emitted + restart.length;
    emitted += bodies.length;
    path.add(record, from, emitted - 1, made.some(isPart));
    return begunBefore(placed(place, bodies), timeOf(message.timestamp));
  };
  return { line, end: () => [] };
}

function sessionBody(record: Raw): ItemBody {
  const version = record.version === undefined ? null : wordOf(record.version);
  return { type: "session", session: stringAt(record, "id") || null, cwd: stringAt(record, "cwd") || null, version };
}

function bodiesOf(
  record: Raw,
  message: Raw,
  raw: string,
  calls: number,
  path: ReturnType<typeof openPath>,
): readonly ItemBody[] {
  const type = stringAt(record, "type");
  if (type === "compaction") return [path.compacted(record), summary(record)];
  if (type === "branch_summary") return [summary(record)];
  const content = type === "custom_message" ? { role: "custom", content: record.content } : message;
  const entry = typeof record.id === "string" ? record.id : wordOf(calls);
  const bodies = isRecord(content) ? piMessage(content, entry, raw) : null;
  return bodies ?? [{ type: "unknown", kind: type, raw }];
}

function summary(record: Raw): ItemBody {
  return { type: "message", from: "summary", text: stringAt(record, "summary"), images: 0 };
}

function isPart(body: ItemBody): boolean {
  return body.type !== "unknown";
}

/** The entry is written when the answer is complete; the message has the time when it was asked for. */
function begunBefore(items: readonly Item[], at: number | null): readonly Item[] {
  return items.map((item) => (item.type === "request" && at !== null ? { ...item, at } : item));
}
