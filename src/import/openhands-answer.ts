import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { grownReport, type Report, type Reports, responseIdOf, responseReport } from "./openhands-reports.ts";
import { type Raw, wordOf } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** Answers of the model, each of which may be several actions, and the calls that observations belong to. */
export function openhandsAnswers(reports: Reports) {
  const calls = new Map<string, string>();
  const requests = new Set<string>();
  let totals: Raw = {};

  const begin = (event: Raw, request: string, response: string): readonly ItemBody[] => {
    requests.add(request);
    const now = recordAt(recordAt(event, "llm_metrics"), "accumulated_token_usage");
    const grown = grownReport(totals, now);
    totals = { ...totals, ...now };
    const told = responseReport(recordAt(recordAt(event, "tool_call_metadata"), "model_response"));
    const report = (response === "" ? reports.next() : reports.of(response)) ?? told ?? grown;
    const model = told?.model ?? report?.model ?? null;
    return [
      { type: "request", request, model },
      ...answerParts(event, request),
      ...usageBodies(request, report, event),
    ];
  };

  return {
    bodies: (event: Raw): readonly ItemBody[] => {
      const response = responseIdOf(event);
      const request = response || `event-${wordOf(event.id)}`;
      const start = requests.has(request) ? [] : begin(event, request, response);
      const call = callOf(event, request);
      if (call !== null) calls.set(wordOf(event.id), call.callId);
      return call === null ? start : [...start, call];
    },
    /** The call that an observation answers; null: none. */
    callOf: (event: Raw): string | null =>
      stringAt(recordAt(event, "tool_call_metadata"), "tool_call_id") || (calls.get(wordOf(event.cause)) ?? null),
    /** Calls whose answers the history does not show. */
    rest: (): readonly ItemBody[] =>
      reports.rest().flatMap((report, index): readonly ItemBody[] => {
        const request = report.id === "" || requests.has(report.id) ? `report-${index + 1}` : report.id;
        return [{ type: "request", request, model: report.model }, ...usageBodies(request, report, {})];
      }),
  };
}

/** Numbers of events are the same in all sessions: where no response is named, time and figures tell calls apart. */
function usageBodies(request: string, report: Report | null, event: Raw): readonly ItemBody[] {
  if (report === null) return [];
  const { usage, id } = report;
  const key = `openhands:${id || `${request}:${wordOf(event.timestamp)}:${JSON.stringify(usage)}`}`;
  return [{ type: "usage", request, usage, known: "all", key }];
}

/** Thoughts and text of a model's answer, told by the first of its actions. */
function answerParts(event: Raw, request: string): readonly ItemBody[] {
  const message = messageOf(event);
  const args = recordAt(event, "args");
  const reasoning = stringAt(message, "reasoning_content") || stringAt(args, "reasoning_content");
  const text = contentOf(message.content).text || ownText(event, args);
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", request, text: reasoning, opaqueChars: 0 } as const]),
    ...(text === "" ? [] : [{ type: "text", request, text } as const]),
  ];
}

/** The call an action stands for; null: it is only a message. */
function callOf(event: Raw, request: string): Extract<ItemBody, { readonly type: "call" }> | null {
  const metadata = recordAt(event, "tool_call_metadata");
  const action = stringAt(event, "action");
  const callId = stringAt(metadata, "tool_call_id");
  if (callId === "" && action === "message") return null;
  const tool = stringAt(metadata, "function_name") || action;
  const { thought: _thought, ...args } = recordAt(event, "args");
  // The think tool's thought is its argument.
  const input = argumentsOf(event, callId) ?? spacedJson(action === "think" ? recordAt(event, "args") : args);
  return { type: "call", request, callId: callId || `event-${wordOf(event.id)}`, tool, input };
}

function messageOf(event: Raw): Raw {
  const response = recordAt(recordAt(event, "tool_call_metadata"), "model_response");
  return recordAt(recordOf(listAt(response, "choices")[0]), "message");
}

function ownText(event: Raw, args: Raw): string {
  const action = stringAt(event, "action");
  if (action === "message") return contentOf(args.content).text;
  return action === "think" ? "" : stringAt(args, "thought");
}

/** As the model wrote them. */
function argumentsOf(event: Raw, callId: string): string | null {
  const calls = listAt(messageOf(event), "tool_calls").map(recordOf);
  const call = calls.find((one) => one.id === callId);
  const text = call === undefined ? undefined : recordAt(call, "function").arguments;
  return typeof text === "string" ? text : null;
}
