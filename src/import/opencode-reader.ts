import { recordAt, stringAt } from "../provider/lenient.ts";
import { unknownBody } from "./document.ts";
import { opencodeAnswer } from "./opencode-answer.ts";
import { placed, timeOf } from "./place.ts";
import { type Ranges, rangesOf } from "./ranges.ts";
import { type Raw, wordOf } from "./record.ts";
import type { Item, ItemBody } from "./transcript.ts";

export type StoredSession = {
  readonly id: string;
  readonly directory: string | null;
  readonly version: string | null;
  readonly at: unknown;
};

/** `at` as stored beside the message, for where the message itself names no time. */
export type StoredMessage = {
  readonly id: string;
  readonly at: unknown;
  readonly info: Raw;
  readonly parts: readonly Raw[];
};

/** A person's session and the sub-agents' below it, one after the other, each in a lane of its own, as one list of items. */
export function opencodeReader() {
  const ranges = rangesOf();
  let compactions = compactionsOf(ranges);
  let lane = "main";
  let system = "";
  let line = 0;
  let count = 0;

  const out = (at: number | null, bodies: readonly ItemBody[]): readonly Item[] => {
    count += bodies.length;
    return placed({ line: Math.max(line, 1), at, lane }, bodies);
  };

  const head = (info: Raw, at: number | null): readonly Item[] => {
    const text = systemOf(info);
    if (text === "" || text === system) return [];
    system = text;
    return out(at, [{ type: "head", part: "system", text }]);
  };

  const answer = (message: StoredMessage, at: number | null): readonly Item[] => {
    const pieces = opencodeAnswer(message.info, message.parts, message.id);
    const items = pieces.flatMap((piece) => out(piece.at ?? at, [piece.body]));
    if (message.info.summary !== true || message.info.error !== undefined) return items;
    const text = pieces.flatMap(({ body }) => (body.type === "text" ? [body.text] : [])).join("\n");
    return text === "" ? items : [...items, ...out(at, compactions.summarised(text))];
  };

  return {
    session: (session: StoredSession, ofLane: string): readonly Item[] => {
      lane = ofLane;
      compactions = compactionsOf(ranges);
      system = "";
      const { id, directory, version } = session;
      return out(timeOf(session.at), [{ type: "session", session: id, cwd: directory, version }]);
    },
    message: (message: StoredMessage): readonly Item[] => {
      line += 1;
      const at = timeOf(recordAt(message.info, "time").created ?? message.at);
      const first = head(message.info, at);
      const start = count;
      const isAnswer = message.info.role === "assistant";
      const items = isAnswer ? answer(message, at) : out(at, message.parts.flatMap(givenBodies));
      ranges.add(message.id, start, count - 1);
      compactions.passed(message);
      return [...first, ...items];
    },
    unknown: (record: Raw): readonly Item[] => out(null, [unknownBody("record", record)]),
    /** A row that cannot be read costs no other. */
    unreadable: (why: string): readonly Item[] => {
      line += 1;
      return out(null, [{ type: "unreadable", why }]);
    },
  };
}

/** Of one lane: which messages were there, and what a person or the program asked to be summarised. */
function compactionsOf(ranges: Ranges) {
  const ids: string[] = [];
  let asked: { readonly by: "auto" | "manual" | null; readonly tail: readonly string[] } = { by: null, tail: [] };
  return {
    passed: ({ id, parts }: StoredMessage): void => {
      const part = parts.find((one) => one.type === "compaction");
      if (part !== undefined) {
        const from = ids.indexOf(stringAt(part, "tail_start_id"));
        const by = typeof part.auto !== "boolean" ? null : part.auto ? "auto" : "manual";
        asked = { by, tail: from < 0 ? [] : ids.slice(from) };
      }
      ids.push(id);
    },
    summarised: (text: string): readonly ItemBody[] => {
      const { by, tail } = asked;
      asked = { by: null, tail: [] };
      return [
        { type: "restarted", why: "compacted", by, keeps: ranges.of(tail) },
        { type: "message", from: "summary", text, images: 0 },
      ];
    },
  };
}

/** What the model was told at first, where a version keeps it. */
function systemOf(info: Raw): string {
  const parts: readonly unknown[] = Array.isArray(info.system) ? info.system : [info.system];
  return parts.filter((part) => typeof part === "string").join("\n");
}

function givenBodies(part: Raw): readonly ItemBody[] {
  switch (part.type) {
    case "text": {
      const text = stringAt(part, "text");
      if (text === "" || part.ignored === true) return [];
      return [{ type: "message", from: part.synthetic === true ? "injected" : "typed", text, images: 0 }];
    }
    case "file":
      return fileBodies(part);
    case "compaction":
      return [];
    default:
      return [unknownBody(`user/${wordOf(part.type)}`, part)];
  }
}

/** What stands in a text file, the program puts in a text of its own beside it. */
function fileBodies(part: Raw): readonly ItemBody[] {
  const mime = stringAt(part, "mime");
  if (mime.startsWith("image/")) return [{ type: "message", from: "typed", text: "", images: 1 }];
  return mime === "text/plain" || mime === "application/x-directory" ? [] : [unknownBody("user/file", part)];
}
