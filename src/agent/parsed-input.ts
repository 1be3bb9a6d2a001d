import { parseJson } from "../kernel/json.ts";
import type { Call } from "../log/state.ts";
import { textOf } from "../prompt/render.ts";
import type { ParsedCall, Tool } from "../tools/tool.ts";
import type { Lane } from "./lane.ts";
import { toolNamed, whyNoTool } from "./tool-named.ts";

/** What the model asked for, as its tool takes it. */
export type ParsedInput =
  | { readonly type: "ok"; readonly call: ParsedCall; readonly input: unknown }
  | { readonly type: "bad"; readonly why: string };

export function parse(call: Call, lane: Lane): ParsedInput {
  const tool = toolOf(call, lane);
  if (tool === undefined) return { type: "bad", why: whyNoTool(call.tool, lane.config, lane.state()) };
  const input = parseJson(textOf(call.rewritten ?? call.input, lane.texts));
  if (input.type === "bad") return { type: "bad", why: `The input of ${call.tool} is not valid JSON: ${input.why}` };
  return parsedInput(call, input.value, lane);
}

export function parsedInput(call: Call, input: unknown, lane: Lane): ParsedInput {
  const parsed = toolOf(call, lane)?.parse(input) ?? { type: "bad", why: `There is no tool named "${call.tool}".` };
  return parsed.type === "bad" ? parsed : { ...parsed, input };
}

function toolOf({ tool }: Call, { config }: Lane): Tool | undefined {
  return toolNamed(tool, config);
}
