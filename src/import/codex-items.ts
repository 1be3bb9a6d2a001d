import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import type { Raw } from "./record.ts";
import { inputOf, spacedJson } from "./spaced-json.ts";
import type { DeclaredTool, ItemBody } from "./transcript.ts";

/** Items of the Responses API that the model writes. A response is a run of them. */
const answers: Readonly<Record<string, (item: Raw, request: string | null, spare: string) => ItemBody>> = {
  reasoning: (item, request) => ({
    type: "reasoning",
    request,
    text: [contentOf(item.summary).text, contentOf(item.content).text].filter((text) => text !== "").join("\n"),
    opaqueChars: stringAt(item, "encrypted_content").length,
  }),
  function_call: (item, request, spare) => call(item, request, toolOf(item), item.arguments, spare),
  custom_tool_call: (item, request, spare) => call(item, request, toolOf(item), item.input, spare),
  local_shell_call: (item, request, spare) => call(item, request, "local_shell", item.action, spare),
  web_search_call: (item, request, spare) => call(item, request, "web_search", item.action, spare),
  tool_search_call: (item, request, spare) => call(item, request, "tool_search", item.arguments, spare),
  image_generation_call: (item, request, spare) =>
    call(item, request, "image_generation", stringAt(item, "revised_prompt"), spare),
};

export function isAnswer(item: Raw): boolean {
  return Object.hasOwn(answers, stringAt(item, "type")) || (item.type === "message" && item.role === "assistant");
}

/** `spare` is the id of a call that has none in the file. */
export function answerBody(item: Raw, request: string | null, spare: string): ItemBody {
  const read = answers[stringAt(item, "type")];
  return read === undefined
    ? { type: "text", request, text: contentOf(item.content).text }
    : read(item, request, spare);
}

function call(item: Raw, request: string | null, tool: string, input: unknown, spare: string): ItemBody {
  const callId = stringAt(item, "call_id") || stringAt(item, "id") || spare;
  return { type: "call", request, callId, tool, input: inputOf(input) };
}

/** Tools of servers stand in a namespace, `mcp__<server>`. */
function toolOf(item: Raw): string {
  const namespace = stringAt(item, "namespace");
  const name = stringAt(item, "name");
  return namespace === "" ? name : `${namespace}__${name.replace(/^_+/, "")}`;
}

/** Items that stand on the user's side; null: of no type we know. `isPerson`: a person writes to this agent. */
export function userBodies(item: Raw, isPerson: boolean): readonly ItemBody[] | null {
  const type = stringAt(item, "type");
  if (type.endsWith("_output")) return [outputOf(item)];
  if (type === "additional_tools") return [{ type: "head", part: "tools", tools: toolsOf(listAt(item, "tools")) }];
  if (type !== "message" && type !== "agent_message") return null;
  const { text, images } = contentOf(item.content);
  if (text === "" && images === 0) return [];
  const isTyped = isPerson && type === "message" && item.role === "user" && !isOfProgram(text);
  return [{ type: "message", from: isTyped ? "typed" : "injected", text, images }];
}

/** What is put in the user's mouth: instructions, facts of the environment, notices. */
function isOfProgram(text: string): boolean {
  return /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS|turn_aborted|skill|skills_instructions|subagent_notification|collaboration_mode|model_switch|hook_prompt|user_shell_command|apps_instructions|plugins_instructions|personality_spec)>)/.test(
    text,
  );
}

function outputOf(item: Raw): ItemBody {
  const { output } = item;
  const found = item.type === "tool_search_output" ? spacedJson(listAt(item, "tools")) : contentOf(output).text;
  return {
    type: "result",
    callId: stringAt(item, "call_id") || stringAt(item, "id"),
    tool: null,
    text: found,
    failed: recordOf(output).success === false || exitedBadly(found),
    images: contentOf(output).images,
  };
}

/** Commands say how they ended in the first lines of their text, or, in older versions, in JSON around it. */
function exitedBadly(text: string): boolean {
  const head = /^(?:.*\n){0,4}?(?:Process exited with code|Exit code:) (-?\d+)/.exec(text.slice(0, 400));
  const old = /"exit_code": ?(-?\d+)/.exec(text.startsWith("{") ? text.slice(-200) : "");
  const code = head?.[1] ?? old?.[1];
  return code !== undefined && code !== "0";
}

/** Declared tools, those of a namespace one by one. */
export function toolsOf(tools: readonly unknown[]): readonly DeclaredTool[] {
  return tools.filter(isRecord).flatMap((tool) => {
    const inner = listAt(tool, "tools").filter(isRecord);
    const namespace = stringAt(tool, "name");
    if (inner.length > 0)
      return inner.map((one) => ({ name: toolOf({ namespace, name: one.name }), text: spacedJson(one) }));
    const name = namespace || stringAt(recordAt(tool, "function"), "name") || stringAt(tool, "type");
    return [{ name, text: spacedJson(tool) }];
  });
}
