import { stringAt } from "../provider/lenient.ts";
import { unknownBody } from "./document.ts";
import { answerBodies, type Given, newGiven } from "./gemini-answer.ts";
import { geminiContent } from "./gemini-content.ts";
import { placed, timeOf } from "./place.ts";
import { rangesOf } from "./ranges.ts";
import type { Raw } from "./record.ts";
import type { Item, ItemBody } from "./transcript.ts";

export type GeminiConversation = {
  readonly header: (header: Raw, line: number) => readonly Item[];
  readonly message: (record: Raw, line: number) => readonly Item[];
  /** The person went back: this message and all after it are gone; all, where the id is not known. */
  readonly rewind: (id: string, line: number) => readonly Item[];
  /** The model's context is from here on these messages: a resumed session, a compression, an answer taken back. */
  readonly replace: (records: readonly Raw[], line: number) => readonly Item[];
  readonly end: () => readonly Item[];
};

/** What was given out for one record, which is written anew in full whenever its calls, results or tokens change. */
type Known = { readonly given: Given; text: string };

/**
 * Turns records into items. The newest record is held back, because the same one usually comes again, longer; of a record
 * that comes again later only what is new is given out.
 */
export function geminiConversation(): GeminiConversation {
  const known = new Map<string, Known>();
  const ranges = rangesOf();
  let live = new Set<string>();
  let held: { readonly record: Raw; readonly line: number } | null = null;
  let session: string | null = null;
  let lane = "main";
  let count = 0;

  const out = (bodies: readonly ItemBody[], line: number, at: number | null): readonly Item[] => {
    count += bodies.length;
    return placed({ line, at, lane }, bodies);
  };

  const give = (record: Raw, line: number, from: "typed" | "summary", isCopy: boolean): readonly Item[] => {
    const id = stringAt(record, "id") || `${session}:item-${count}`;
    const before = known.get(id) ?? { given: newGiven(), text: "" };
    const start = count;
    const items = out(bodiesOf(record, id, before, from, isCopy), line, timeOf(record.timestamp));
    ranges.add(id, start, count - 1);
    known.set(id, before);
    live.add(id);
    return items;
  };

  const release = (): readonly Item[] => {
    const last = held;
    held = null;
    return last === null ? [] : give(last.record, last.line, "typed", false);
  };

  const restart = (why: "compacted" | "rewound", kept: readonly string[], line: number): readonly Item[] => {
    live = new Set(kept);
    return out([{ type: "restarted", why, by: null, keeps: ranges.of(kept) }], line, null);
  };

  return {
    header: (header, line) => {
      session = stringAt(header, "sessionId") || null;
      if (header.kind === "subagent") lane = session ?? "subagent";
      return out([{ type: "session", session, cwd: null, version: null }], line, timeOf(header.startTime));
    },
    message: (record, line) => {
      const before = held !== null && isSame(held.record, record) ? [] : release();
      held = { record, line };
      return before;
    },
    rewind: (id, line) => {
      const before = release();
      const ids = [...live];
      return [...before, ...restart("rewound", ids.slice(0, Math.max(0, ids.indexOf(id))), line)];
    },
    replace: (records, line) => {
      const before = release();
      const ids = records.map((record) => stringAt(record, "id"));
      const had = [...live];
      const kept = ids.filter((id) => live.has(id));
      const isLonger = had.every((id, index) => ids[index] === id);
      const isShorter = ids.every((id, index) => had[index] === id);
      const boundary = isLonger ? [] : restart(isShorter ? "rewound" : "compacted", kept, line);
      const summary = isLonger
        ? -1
        : records.findIndex((one) => one.type === "user" && !known.has(stringAt(one, "id")));
      const after = records.flatMap((one, index) => give(one, line, index === summary ? "summary" : "typed", true));
      return [...before, ...boundary, ...after];
    },
    end: release,
  };
}

/** Records without an id are each their own. */
function isSame(a: Raw, b: Raw): boolean {
  const id = stringAt(a, "id");
  return id !== "" && stringAt(b, "id") === id;
}

function bodiesOf(
  record: Raw,
  id: string,
  known: Known,
  from: "typed" | "summary",
  isCopy: boolean,
): readonly ItemBody[] {
  const type = stringAt(record, "type");
  if (type === "gemini") return answerBodies(record, id, known.given, isCopy);
  if (type !== "user") return [unknownBody(type || "record", record)];
  const { text, images } = geminiContent(record.content);
  if (text === known.text || (text === "" && images === 0)) return [];
  known.text = text;
  return [{ type: "message", from, text, images }];
}
