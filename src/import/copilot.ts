import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { type Context, openContext } from "./context.ts";
import { type CopilotCalls, copilotAnswer, copilotCalls } from "./copilot-answer.ts";
import { placed, timeOf } from "./place.ts";
import type { Raw } from "./record.ts";
import type { ItemBody, LineFormat, LineReader } from "./transcript.ts";

/** `~/.copilot/session-state/<session>.jsonl` or `<session>/events.jsonl`: events of the Copilot command line. */
export const copilot: LineFormat = {
  format: "copilot-cli",
  recognises: (records) => records.some(isCopilot),
  open,
};

function isCopilot(record: Raw): boolean {
  const isEvent = isRecord(record.data) && typeof record.id === "string" && "parentId" in record;
  return isEvent && /^(?:session|user|assistant|tool|system|hook)\.[a-z_]+$/.test(stringAt(record, "type"));
}

type State = { model: string | null; system: string; compactingFrom: number | null };
type Given = {
  readonly data: Raw;
  readonly lane: string;
  readonly event: string;
  readonly state: State;
  readonly calls: CopilotCalls;
  readonly context: Context;
  readonly eventStart: (id: string) => number | null;
};

function open(): LineReader {
  const state: State = { model: null, system: "", compactingFrom: null };
  const calls = copilotCalls();
  const context = openContext();
  const starts = new Map<string, number>();
  return {
    line: (record, line, raw) => {
      const data = recordAt(record, "data");
      const type = stringAt(record, "type");
      const event = stringAt(record, "id");
      const lane = stringAt(record, "agentId") || stringAt(data, "parentToolCallId") || "main";
      const read = Object.hasOwn(events, type) ? events[type] : undefined;
      const eventStart = (id: string) => starts.get(id) ?? null;
      const given: Given = { data, lane, event, state, calls, context, eventStart };
      const bodies = read?.(given) ?? [{ type: "unknown", kind: type, raw } as const];
      if (event !== "") starts.set(event, context.next());
      context.add(bodies);
      return placed({ line, at: timeOf(record.timestamp), lane }, bodies);
    },
    end: () => [],
  };
}

/** null: of no meaning to the context, or unknown. */
const events: Readonly<Record<string, (given: Given) => readonly ItemBody[] | null>> = {
  "session.start": ({ data, state }) => {
    state.model = stringAt(data, "selectedModel") || state.model;
    const cwd = stringAt(recordAt(data, "context"), "cwd") || null;
    const version = stringAt(data, "copilotVersion") || null;
    return [{ type: "session", session: stringAt(data, "sessionId") || null, cwd, version }];
  },
  "session.model_change": ({ data, state }) => {
    state.model = stringAt(data, "newModel") || state.model;
    return null;
  },
  "system.message": ({ data, state }) => {
    const text = stringAt(data, "content");
    if (data.role !== "system") return said("injected", text);
    // Written anew for every turn, mostly with the same words.
    if (text === state.system) return [];
    state.system = text;
    return [{ type: "head", part: "system", text }];
  },
  "user.message": ({ data, lane }) => {
    const isPerson = lane === "main" && isTyped(stringAt(data, "source")) && data.isAutopilotContinuation !== true;
    const images = listAt(data, "attachments").filter(isImage).length;
    return said(isPerson ? "typed" : "injected", stringAt(data, "transformedContent") || data.content, images);
  },
  "system.notification": ({ data }) => said("injected", data.content),
  "skill.invoked": ({ data }) => said("injected", data.content),
  "assistant.message": ({ data, event, state, calls }) => copilotAnswer(data, event, state.model, calls),
  "tool.execution_start": ({ data, calls }) => calls.started(data),
  "tool.execution_complete": ({ data }) => [resultOf(data)],
  "session.compaction_start": ({ state, context }) => {
    state.compactingFrom = context.next();
    return null;
  },
  "session.compaction_complete": compacted,
  "session.context_cleared": () => [{ type: "restarted", why: "cleared", by: "manual", keeps: [] }],
  "session.snapshot_rewind": ({ data, context, eventStart }) => {
    const start = eventStart(stringAt(data, "upToEventId"));
    // An event that is not in the file: it was taken out together with what was rewound.
    if (start === null) return null;
    return [{ type: "restarted", why: "rewound", by: "manual", keeps: context.before(start) }];
  },
};

function isTyped(source: string): boolean {
  return source === "" || source === "user";
}

function isImage(part: unknown): boolean {
  return isRecord(part) && stringAt(part, "mimeType").startsWith("image/");
}

function said(from: "typed" | "injected", content: unknown, more = 0): readonly ItemBody[] {
  const { text, images } = contentOf(content);
  return text === "" && images + more === 0 ? [] : [{ type: "message", from, text, images: images + more }];
}

function resultOf(data: Raw): ItemBody {
  const result = recordAt(data, "result");
  const text = contentOf(result.content).text || stringAt(recordAt(data, "error"), "message");
  const images = listAt(result, "binaryResultsForLlm").filter(isImage).length;
  return {
    type: "result",
    callId: stringAt(data, "toolCallId"),
    tool: null,
    text,
    failed: data.success === false,
    images,
  };
}

/** It works beside the session: what came since its start stays. */
function compacted({ data, state, context }: Given): readonly ItemBody[] | null {
  const from = state.compactingFrom ?? context.next();
  state.compactingFrom = null;
  if (data.success === false) return null;
  const trigger = stringAt(data, "trigger");
  const by = trigger === "" ? null : trigger === "manual" ? "manual" : "auto";
  const text = stringAt(data, "summaryContent");
  return [
    { type: "restarted", why: "compacted", by, keeps: context.from(from) },
    ...(text === "" ? [] : [{ type: "message", from: "summary", text, images: 0 } as const]),
  ];
}
