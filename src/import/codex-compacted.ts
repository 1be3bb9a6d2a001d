import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, stringAt } from "../provider/lenient.ts";
import { answerBody, isAnswer, userBodies } from "./codex-items.ts";
import type { Context } from "./context.ts";
import type { Raw } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/**
 * A compaction. Newer versions write down the whole history that takes the old one's place; older ones only the summary,
 * which stands behind what the person typed.
 */
export function compactedBodies(payload: Raw, line: number, context: Context, isPerson: boolean): readonly ItemBody[] {
  const summary = stringAt(payload, "message");
  const entries = listAt(payload, "replacement_history_entries").map((entry) => (isRecord(entry) ? entry.item : null));
  const history = [...listAt(payload, "replacement_history"), ...entries].filter(isRecord);
  if (history.length > 0) {
    const bodies = history.flatMap((item, at) => historyBodies(item, `history:${line}:${at}`, summary, isPerson));
    return [{ ...restarted([]), retells: bodies.length }, ...bodies];
  }
  const told: ItemBody = { type: "message", from: "summary", text: summary, images: 0 };
  return [restarted(context.typed()), ...(summary === "" ? [] : [told])];
}

function restarted(keeps: readonly (readonly [number, number])[]) {
  return { type: "restarted", why: "compacted", by: null, keeps } as const;
}

function historyBodies(entry: Raw, spare: string, summary: string, isPerson: boolean): readonly ItemBody[] {
  const item = isRecord(entry.item) ? recordAt(entry, "item") : entry;
  // The service's own compaction, which only it can read.
  const sealed = stringAt(item, "encrypted_content");
  if (/compaction/.test(stringAt(item, "type")))
    return [{ type: "reasoning", request: null, text: "", opaqueChars: sealed.length }];
  if (isAnswer(item)) return [answerBody(item, null, spare)];
  const bodies = userBodies(item, isPerson);
  if (bodies === null) return [{ type: "unknown", kind: `history/${stringAt(item, "type")}`, raw: spacedJson(item) }];
  return bodies.map((body) =>
    body.type === "message" && isSummary(body.text, summary) ? { ...body, from: "summary" } : body,
  );
}

function isSummary(text: string, summary: string): boolean {
  return (summary !== "" && text.includes(summary)) || /^\s*Another language model started to solve/.test(text);
}
