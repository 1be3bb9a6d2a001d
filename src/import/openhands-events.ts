import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { unknownBody } from "./document.ts";
import { openhandsAnswers } from "./openhands-answer.ts";
import type { Reports } from "./openhands-reports.ts";
import { placed, timeOf } from "./place.ts";
import { type Ranges, rangesOf } from "./ranges.ts";
import { type Raw, wordOf } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { Item, ItemBody, ItemPlace } from "./transcript.ts";

/** Events of OpenHands before its version 1: actions and observations, each observation naming its cause. */
export function openhandsEvents(lane: string, session: string | null, reports: Reports) {
  const ranges = rangesOf();
  const answers = openhandsAnswers(reports);
  let count = 0;

  const bodies = (event: Raw): readonly ItemBody[] => {
    const action = stringAt(event, "action");
    if (action === "") return observedBodies(event, answers.callOf(event));
    if (action === "system") return headBodies(event);
    if (action === "condensation") return condensedBodies(recordAt(event, "args"), ranges);
    if (action === "message" && event.source !== "agent") return [said(event)];
    return event.source === "agent" && !ofTheProgram.has(action)
      ? answers.bodies(event)
      : [unknownBody(`action:${action}`, event)];
  };

  const place = (list: readonly ItemBody[], at: ItemPlace): readonly Item[] => {
    count += list.length;
    return placed(at, list);
  };

  return {
    event: (event: Raw, line: number): readonly Item[] => {
      const at = { line, at: timeOf(event.timestamp), lane };
      const opening = count === 0 ? place([sessionBody(event, session)], at) : [];
      const start = count;
      const items = place(bodies(event), at);
      ranges.add(wordOf(event.id), start, count - 1);
      return [...opening, ...items];
    },
    end: (): readonly Item[] => place(answers.rest(), { line: 1, at: null, lane }),
  };
}

/** Actions in the agent's name that no model asked for. */
const ofTheProgram: ReadonlySet<string> = new Set([
  "recall",
  "condensation_request",
  "change_agent_state",
  "start",
  "stop",
  "pause",
  "resume",
  "null",
]);

function sessionBody(event: Raw, session: string | null): ItemBody {
  const version = stringAt(recordAt(event, "args"), "openhands_version") || null;
  return { type: "session", session, cwd: null, version };
}

function headBodies(event: Raw): readonly ItemBody[] {
  const args = recordAt(event, "args");
  const tools = listAt(args, "tools").map((tool) => {
    const declared = recordOf(tool);
    return {
      name: stringAt(recordAt(declared, "function"), "name") || stringAt(declared, "name"),
      text: spacedJson(tool),
    };
  });
  const system: ItemBody = { type: "head", part: "system", text: stringAt(args, "content") };
  return tools.length === 0 ? [system] : [system, { type: "head", part: "tools", tools }];
}

function said(event: Raw): ItemBody {
  const args = recordAt(event, "args");
  const { text } = contentOf(args.content);
  const from = event.source === "user" ? "typed" : "injected";
  return { type: "message", from, text, images: listAt(args, "image_urls").length };
}

function condensedBodies(args: Raw, ranges: Ranges): readonly ItemBody[] {
  const text = stringAt(args, "summary");
  const keeps = ranges.without(forgottenOf(args));
  const restart: ItemBody = { type: "restarted", why: "compacted", by: "auto", keeps };
  return text === "" ? [restart] : [restart, { type: "message", from: "summary", text, images: 0 }];
}

/** Events by number, or a span of them. */
function forgottenOf(args: Raw): (id: string) => boolean {
  const listed = new Set(listAt(args, "forgotten_event_ids").map(wordOf));
  const from = args.forgotten_events_start_id;
  const to = args.forgotten_events_end_id;
  if (typeof from !== "number" || typeof to !== "number") return (id) => listed.has(id);
  return (id) => listed.has(id) || (Number(id) >= from && Number(id) <= to);
}

/** Without a call it is the program's own word. */
function observedBodies(event: Raw, callId: string | null): readonly ItemBody[] {
  const kind = stringAt(event, "observation");
  const text = stringAt(event, "content");
  const images = listAt(recordAt(event, "extras"), "image_urls").length;
  if (callId !== null) {
    const tool = stringAt(recordAt(event, "tool_call_metadata"), "function_name") || null;
    return [{ type: "result", callId, tool, text, failed: kind === "error" || event.success === false, images }];
  }
  if (kind === "recall") return [{ type: "message", from: "injected", text: recalled(event), images: 0 }];
  if (kind === "error") return [{ type: "message", from: "injected", text, images: 0 }];
  return [unknownBody(kind === "" ? "event" : `observation:${kind}`, event)];
}

/** What the program told of the workspace and its knowledge. */
function recalled(event: Raw): string {
  const extras = recordAt(event, "extras");
  const told = ["repo_instructions", "additional_agent_instructions", "conversation_instructions"].map((key) =>
    stringAt(extras, key),
  );
  const known = listAt(extras, "microagent_knowledge").map((one) => stringAt(recordOf(one), "content"));
  const texts = [...told, ...known].filter((text) => text !== "");
  return texts.length === 0 ? stringAt(event, "content") : texts.join("\n");
}
