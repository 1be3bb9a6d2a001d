import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { renumbered } from "./numbers.ts";
import { openhandsEvents } from "./openhands-events.ts";
import { openhandsReports } from "./openhands-reports.ts";
import { isSdkEvent, sdkEvents } from "./openhands-sdk.ts";
import type { Raw } from "./record.ts";
import type { DocumentFormat, Item, LineFormat } from "./transcript.ts";

/**
 * OpenHands: one result of an evaluation (`history` beside `metrics`), a list of events, or one event (`event-7.json`);
 * events in the shapes of the program before version 1 and of its SDK.
 */
export const openhandsDocument: DocumentFormat = {
  format: "openhands",
  recognises: (value) => {
    if (Array.isArray(value)) return value.length > 0 && value.slice(0, eventsSniffed).every(isEvent);
    return isEvent(value) || isResult(value);
  },
  read: (value) => {
    if (isResult(value)) return resultItems(value, "main", (index) => index + 1);
    return eventItems(Array.isArray(value) ? value : [value]);
  },
};

/** `output.jsonl` of an evaluation, a result per line; or an event per line. */
export const openhandsLines: LineFormat = {
  format: "openhands",
  recognises: (records) => {
    // One result in one line is a document.
    if (records.some(isResult)) return records.length > 1;
    return records.length > 0 && records.every(isEvent);
  },
  open: () => {
    const events = eventReader("main");
    let results = 0;
    let emitted = 0;
    return {
      line: (record, line) => {
        if (!isResult(record)) return events.event(record, line);
        results += 1;
        const name = stringAt(record, "instance_id") || `result-${line}`;
        const items = resultItems(record, results === 1 ? "main" : name, () => line);
        const before = emitted;
        emitted += items.length;
        // Each result counts its items from 0; what a restart keeps is named by the file's numbers.
        return renumbered(items, (number) => number + before);
      },
      end: events.end,
    };
  },
};

const eventsSniffed = 20;

function isResult(value: unknown): value is Raw {
  return isRecord(value) && Array.isArray(value.history) && value.history.slice(0, eventsSniffed).every(isEventOrPair);
}

function isEvent(value: unknown): boolean {
  if (!isRecord(value) || typeof value.source !== "string") return false;
  return typeof value.action === "string" || typeof value.observation === "string" || isSdkEvent(value);
}

/** The oldest results have pairs of an action and what it led to. */
function isEventOrPair(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isEvent) : isEvent(value);
}

function resultItems(result: Raw, lane: string, lineOf: (index: number) => number): readonly Item[] {
  const events = listAt(result, "history")
    .flat()
    .map((event, index) => withId(recordOf(event), index));
  const reader = eventReader(lane, {
    events,
    metrics: recordAt(result, "metrics"),
    session: stringAt(result, "instance_id"),
  });
  return [...events.flatMap((event, index) => reader.event(event, lineOf(index))), ...reader.end()];
}

/** Events of the oldest results have no number, and what an action led to stands right behind it. */
function withId(event: Raw, index: number): Raw {
  return event.id === undefined ? { cause: index - 1, ...event, id: index } : event;
}

function eventItems(values: readonly unknown[]): readonly Item[] {
  const reader = eventReader("main");
  return [...values.flatMap((value, index) => reader.event(recordOf(value), index + 1)), ...reader.end()];
}

type Result = { readonly events: readonly Raw[]; readonly metrics: Raw; readonly session: string };

function eventReader(lane: string, result?: Result) {
  const reports = openhandsReports(listAt(result?.metrics ?? {}, "token_usages").map(recordOf), result?.events ?? []);
  const session = result?.session || null;
  const older = openhandsEvents(lane, session, reports);
  const newer = sdkEvents(lane, session);
  return {
    event: (event: Raw, line: number) => (isSdkEvent(event) ? newer.event(event, line) : older.event(event, line)),
    end: older.end,
  };
}
