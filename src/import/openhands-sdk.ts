import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { thoughtBodies, unknownBody } from "./document.ts";
import { placed, timeOf } from "./place.ts";
import { rangesOf } from "./ranges.ts";
import { type Raw, wordOf } from "./record.ts";
import { inputOf, spacedJson } from "./spaced-json.ts";
import type { Item, ItemBody } from "./transcript.ts";

/** An event of the SDK names its class; the older ones have `action` or `observation`. */
export function isSdkEvent(event: Raw): boolean {
  return typeof event.kind === "string" && (sdkKinds.has(event.kind) || event.kind.endsWith("Event"));
}

const sdkKinds: ReadonlySet<string> = new Set(["Condensation", "CondensationRequest", "UserRejectObservation"]);

/** Events of OpenHands from version 1 on. They carry no reports of tokens: those stand in the conversation's state. */
export function sdkEvents(lane: string, session: string | null) {
  const ranges = rangesOf();
  const requests = new Set<string>();
  let count = 0;

  const begin = (event: Raw): { readonly request: string; readonly start: readonly ItemBody[] } => {
    const request = stringAt(event, "llm_response_id") || `event-${stringAt(event, "id")}`;
    if (requests.has(request)) return { request, start: [] };
    requests.add(request);
    return { request, start: [{ type: "request", request, model: null }] };
  };

  const handlers: Readonly<Record<string, (event: Raw) => readonly ItemBody[]>> = {
    SystemPromptEvent: headBodies,
    MessageEvent: (event) => {
      const message = recordAt(event, "llm_message");
      if (event.source !== "agent") return messageBodies(event, message);
      const { request, start } = begin(event);
      const { text } = contentOf(message.content);
      const said: readonly ItemBody[] = text === "" ? [] : [{ type: "text", request, text }];
      return [...start, ...reasoningBodies(message, request), ...said];
    },
    ActionEvent: (event) => {
      const { request, start } = begin(event);
      const { text } = contentOf(event.thought);
      const said: readonly ItemBody[] = start.length === 0 || text === "" ? [] : [{ type: "text", request, text }];
      const thoughts = start.length === 0 ? [] : reasoningBodies(event, request);
      return [...start, ...thoughts, ...said, callBody(event, request)];
    },
    ObservationEvent: (event) => {
      const seen = recordAt(event, "observation");
      const content = contentOf(seen.content ?? seen.output);
      return [{ ...resultBody(event), ...content, failed: seen.is_error === true || seen.error === true }];
    },
    UserRejectObservation: (event) => [
      { ...resultBody(event), text: stringAt(event, "rejection_reason"), failed: true },
    ],
    AgentErrorEvent: (event) => [{ ...resultBody(event), text: stringAt(event, "error"), failed: true }],
    Condensation: (event) => {
      const gone = new Set(listAt(event, "forgotten_event_ids").map(wordOf));
      const text = stringAt(event, "summary");
      const keeps = ranges.without((id) => gone.has(id));
      const summary: readonly ItemBody[] = text === "" ? [] : [{ type: "message", from: "summary", text, images: 0 }];
      return [{ type: "restarted", why: "compacted", by: "auto", keeps }, ...summary];
    },
  };

  return {
    event: (event: Raw, line: number): readonly Item[] => {
      const kind = stringAt(event, "kind");
      const handler = Object.hasOwn(handlers, kind) ? handlers[kind] : undefined;
      const opening: readonly ItemBody[] = count === 0 ? [{ type: "session", session, cwd: null, version: null }] : [];
      const bodies = handler?.(event) ?? [unknownBody(kind, event)];
      const start = count + opening.length;
      count = start + bodies.length;
      ranges.add(stringAt(event, "id"), start, count - 1);
      const place = { line, at: timeOf(event.timestamp), lane };
      return placed(place, [...opening, ...bodies]);
    },
  };
}

function headBodies(event: Raw): readonly ItemBody[] {
  const text = [event.system_prompt, event.dynamic_context]
    .map((part) => contentOf(part).text)
    .join("\n")
    .trim();
  const tools = listAt(event, "tools")
    .filter(isRecord)
    .map((tool) => {
      const name = stringAt(recordAt(tool, "function"), "name") || stringAt(tool, "name") || stringAt(tool, "title");
      return { name, text: spacedJson(tool) };
    });
  const system: ItemBody = { type: "head", part: "system", text };
  return tools.length === 0 ? [system] : [system, { type: "head", part: "tools", tools }];
}

function messageBodies(event: Raw, message: Raw): readonly ItemBody[] {
  const from = event.source === "user" ? "typed" : "injected";
  const added = contentOf(event.extended_content);
  const own: ItemBody = { type: "message", from, ...contentOf(message.content) };
  return added.text === "" ? [own] : [own, { type: "message", from: "injected", ...added }];
}

function reasoningBodies(raw: Raw, request: string): readonly ItemBody[] {
  const blocks = listAt(raw, "thinking_blocks")
    .map(recordOf)
    .flatMap((block) => thoughtBodies(block, request));
  if (blocks.length > 0) return blocks;
  const item = recordAt(raw, "responses_reasoning_item");
  const text =
    stringAt(raw, "reasoning_content") ||
    listAt(item, "summary")
      .filter((one) => typeof one === "string")
      .join("\n");
  const opaqueChars = stringAt(item, "encrypted_content").length;
  return text === "" && opaqueChars === 0 ? [] : [{ type: "reasoning", request, text, opaqueChars }];
}

function callBody(event: Raw, request: string): ItemBody {
  const call = recordAt(event, "tool_call");
  const written = call.arguments ?? recordAt(call, "function").arguments;
  const input = inputOf(written ?? event.action);
  const callId = stringAt(event, "tool_call_id") || stringAt(event, "id");
  return { type: "call", request, callId, tool: stringAt(event, "tool_name"), input };
}

function resultBody(event: Raw): Extract<ItemBody, { readonly type: "result" }> {
  const callId = stringAt(event, "tool_call_id") || stringAt(event, "action_id");
  return { type: "result", callId, tool: stringAt(event, "tool_name") || null, text: "", failed: false, images: 0 };
}
