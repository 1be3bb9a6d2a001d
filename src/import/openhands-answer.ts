import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import type { Raw } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** Thoughts and text of a model's answer, told by the first of its actions. */
export function answerParts(event: Raw, request: string): readonly ItemBody[] {
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
export function callOf(event: Raw, request: string): Extract<ItemBody, { readonly type: "call" }> | null {
  const metadata = recordAt(event, "tool_call_metadata");
  const action = stringAt(event, "action");
  const callId = stringAt(metadata, "tool_call_id");
  if (callId === "" && action === "message") return null;
  const tool = stringAt(metadata, "function_name") || action;
  const { thought: _thought, ...args } = recordAt(event, "args");
  // The think tool's thought is its argument.
  const input = argumentsOf(event, callId) ?? spacedJson(action === "think" ? recordAt(event, "args") : args);
  return { type: "call", request, callId: callId || `event-${String(event.id)}`, tool, input };
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
