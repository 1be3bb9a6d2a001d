import { isRecord } from "../kernel/canonical.ts";
import { countAt, listAt, recordAt, stringAt } from "../provider/lenient.ts";
import { compactedBodies } from "./codex-compacted.ts";
import { answerBody, isAnswer, toolsOf, userBodies } from "./codex-items.ts";
import { type CodexReport, codexReports } from "./codex-usage.ts";
import { contentOf } from "./content.ts";
import { type Context, openContext } from "./context.ts";
import { placed, timeOf } from "./place.ts";
import { type Raw, wordOf } from "./record.ts";
import type { ItemBody, LineFormat, LineReader } from "./transcript.ts";

/** `~/.codex/sessions/**` and `archived_sessions/` (PROTOCOLS I). */
export const codex: LineFormat = {
  format: "codex",
  recognises: (records) => records.some(isCodex),
  open,
};

function isCodex(record: Raw): boolean {
  const type = stringAt(record, "type");
  if (Object.hasOwn(lineTypes, type)) return isRecord(record.payload);
  // Before there was an envelope: a header without a type, then bare items.
  if (type === "") return typeof record.id === "string" && "instructions" in record && "timestamp" in record;
  return (type === "message" && typeof record.role === "string" && isItemContent(record.content)) || isCall(record);
}

function isItemContent(content: unknown): boolean {
  return (
    Array.isArray(content) && content.some((part) => isRecord(part) && /^(?:in|out)put_text$/.test(wordOf(part.type)))
  );
}

function isCall(record: Raw): boolean {
  return /^(?:function|custom_tool|local_shell)_call(?:_output)?$/.test(stringAt(record, "type"));
}

type State = {
  session: string | null;
  model: string | null;
  lane: string;
  /** Request whose answer is being written. */
  open: string | null;
  calls: number;
  /** An output stands behind the open answer; tokens were reported at all. */
  hasOutput: boolean;
  hasReports: boolean;
  /** Newest id of the provider's: equal in copies of a history. */
  anchor: string;
  reported: { readonly request: string; readonly key: string } | null;
};

function open(): LineReader {
  const state: State = {
    session: null,
    model: null,
    lane: "main",
    open: null,
    calls: 0,
    hasOutput: false,
    hasReports: false,
    anchor: "",
    reported: null,
  };
  const context = openContext();
  const reports = codexReports();
  return {
    line: (record, line, raw) => {
      const isBare = !isRecord(record.payload);
      const payload = isBare ? record : recordAt(record, "payload");
      const type = isBare ? bareType(record) : stringAt(record, "type");
      const read = Object.hasOwn(lineTypes, type) ? lineTypes[type] : undefined;
      const bodies = read?.({ payload, line, state, context, reports }) ?? [unknown(type, payload, raw)];
      context.add(bodies);
      return placed({ line, at: timeOf(record.timestamp), lane: state.lane }, bodies);
    },
    end: () => [],
  };
}

function bareType(record: Raw): string {
  if (typeof record.type === "string") return "response_item";
  return "instructions" in record ? "session_meta" : stringAt(record, "record_type");
}

function unknown(type: string, payload: Raw, raw: string): ItemBody {
  const inner = stringAt(payload, "type");
  return { type: "unknown", kind: inner === "" ? type : `${type}/${inner}`, raw };
}

type Given = {
  readonly payload: Raw;
  readonly line: number;
  readonly state: State;
  readonly context: Context;
  readonly reports: ReturnType<typeof codexReports>;
};

/** null: nothing we know. */
const lineTypes: Readonly<Record<string, (given: Given) => readonly ItemBody[] | null>> = {
  session_meta: sessionBodies,
  response_item: itemBodies,
  compacted: ({ payload, line, state, context }) => {
    state.open = null;
    return compactedBodies(payload, line, context, state.lane === "main");
  },
  event_msg: eventBodies,
  turn_context: ({ payload, state }) => {
    state.model = stringAt(payload, "model") || state.model;
    return null;
  },
  token_usage_record: ({ payload, state, reports }) => reported(reports.record(payload), state),
  world_state: () => null,
  inter_agent_communication: ({ payload }) => {
    const { text, images } = contentOf(payload.content);
    return text === "" ? null : [{ type: "message", from: "injected", text, images }];
  },
};

/** A forked session repeats the other's header behind its own. */
function sessionBodies({ payload, state }: Given): readonly ItemBody[] | null {
  if (state.session !== null) return null;
  state.session = stringAt(payload, "id") || stringAt(payload, "session_id");
  const source = recordAt(payload, "source");
  const isSub = "subagent" in source || payload.thread_source === "subagent" || payload.source === "subagent";
  if (isSub) state.lane = state.session || "subagent";
  const cwd = stringAt(payload, "cwd") || null;
  const version = stringAt(payload, "cli_version") || null;
  const system = stringAt(recordAt(payload, "base_instructions"), "text") || stringAt(payload, "instructions");
  const tools = toolsOf(listAt(payload, "dynamic_tools"));
  return [
    { type: "session", session: state.session || null, cwd, version },
    ...(system === "" ? [] : [{ type: "head", part: "system", text: system } as const]),
    ...(tools.length === 0 ? [] : [{ type: "head", part: "tools", tools } as const]),
  ];
}

function itemBodies({ payload, line, state }: Given): readonly ItemBody[] | null {
  if (isAnswer(payload)) return answered(payload, line, state);
  const bodies = userBodies(payload, state.lane === "main");
  const has = (test: (body: ItemBody) => boolean) => bodies?.some(test) === true;
  // Notices may come while a response is still being written; a person's next word ends it, reported or not.
  if (has((body) => body.type === "message" && body.from === "typed")) state.open = null;
  state.hasOutput ||= has((body) => body.type === "result");
  return bodies;
}

/**
 * What stands between two reports of tokens is one response, outputs of its calls or not. Where a file has no reports at
 * all, what comes after an output is the next one.
 */
function answered(payload: Raw, line: number, state: State): readonly ItemBody[] {
  if (state.hasOutput && !state.hasReports) state.open = null;
  const begun = begin(state);
  state.anchor = stringAt(payload, "call_id") || stringAt(payload, "id") || state.anchor;
  return [...begun, answerBody(payload, state.open, `${stringAt(payload, "type")}:${line}`)];
}

function begin(state: State): readonly ItemBody[] {
  if (state.open !== null) return [];
  state.calls += 1;
  state.hasOutput = false;
  state.open = `${state.session || "codex"}:${state.calls}`;
  return [{ type: "request", request: state.open, model: state.model }];
}

function eventBodies({ payload, state, context, reports }: Given): readonly ItemBody[] | null {
  const type = stringAt(payload, "type");
  if (type === "token_count") return reported(reports.count(payload), state);
  if (type === "turn_aborted" || type === "task_started" || type === "task_complete") state.open = null;
  if (type !== "thread_rolled_back") return null;
  const keeps = context.before(context.turnStart(countAt(payload, "num_turns") ?? 1));
  return [{ type: "restarted", why: "rewound", by: "manual", keeps }];
}

/** A report without an answer is a call all the same: summaries of compactions are made so. */
function reported(report: CodexReport | null, state: State): readonly ItemBody[] {
  if (report === null) return [];
  const { usage } = report;
  if (report.again && state.reported !== null) return [{ type: "usage", ...state.reported, usage, known: "all" }];
  const begun = begin(state);
  const request = state.open ?? "";
  const key = `${state.anchor || state.session}:${report.key}`;
  state.open = null;
  state.hasReports = true;
  state.reported = { request, key };
  return [...begun, { type: "usage", request, usage, known: "all", key }];
}
