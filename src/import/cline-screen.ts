import { parseJson } from "../kernel/json.ts";
import { noUsage } from "../kernel/usage.ts";
import { countAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { placed, timeOf } from "./place.ts";
import { type Raw, wordOf } from "./record.ts";
import type { Item, ItemBody } from "./transcript.ts";

/** What the older extension shows: a list of what was said and asked. */
export function isScreen(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.slice(0, rowsSniffed).every((row) => {
    const { ts, type, say, ask } = recordOf(row);
    return (
      typeof ts === "number" &&
      ((type === "say" && typeof say === "string") || (type === "ask" && typeof ask === "string"))
    );
  });
}

const rowsSniffed = 20;

/** Only the requests and their tokens: the texts stand in the conversation beside it, and would count twice. */
export function clineScreen(rows: readonly Raw[]): readonly Item[] {
  const opening: ItemBody = { type: "session", session: null, cwd: null, version: null };
  return [
    ...placed({ line: 1, at: timeOf(rows[0]?.ts), lane: "main" }, [opening]),
    ...rows.flatMap((row, index) =>
      placed({ line: index + 1, at: timeOf(row.ts), lane: "main" }, requestBodies(row, index + 1)),
    ),
  ];
}

function requestBodies(row: Raw, line: number): readonly ItemBody[] {
  const told = row.type === "say" ? stringAt(row, "say") : "";
  if (!["api_req_started", "deleted_api_reqs", "subagent_usage"].includes(told)) return [];
  const parsed = parseJson(stringAt(row, "text"));
  const report = recordOf(parsed.type === "ok" ? parsed.value : {});
  const of = (key: string) => countAt(report, key) ?? 0;
  const usage = {
    ...noUsage,
    uncached: of("tokensIn"),
    cacheRead: of("cacheReads"),
    cacheWriteOther: of("cacheWrites"),
    output: of("tokensOut"),
  };
  const request = `request-${line}`;
  const model = stringAt(recordAt(row, "modelInfo"), "modelId") || null;
  const key = `cline:${wordOf(row.ts)}`;
  const start: ItemBody = { type: "request", request, model };
  if (Object.values(usage).every((tokens) => tokens === 0)) return [start];
  return [start, { type: "usage", request, usage, known: "all", key }];
}
