import { noUsage, type Usage } from "../kernel/usage.ts";
import { countAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { type Content, contentOf } from "./content.ts";
import { thoughtBodies, unknownBody } from "./document.ts";
import { type Raw, wordOf } from "./record.ts";
import { inputOf, spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** `session` tells answers apart that have neither an id nor a time. */
export function clineAnswer(message: Raw, line: number, session: string): readonly ItemBody[] {
  const id = stringAt(message, "id");
  const request = id || `message-${line}`;
  const info = recordAt(message, "modelInfo");
  const model = stringAt(info, "id") || stringAt(info, "modelId") || null;
  const usage = usageOf(recordAt(message, "metrics"));
  const isNamed = id !== "" || message.ts !== undefined;
  const key = `cline:${isNamed ? "" : session}:${request}:${wordOf(message.ts)}`;
  const report: readonly ItemBody[] = usage === null ? [] : [{ type: "usage", request, usage, known: "all", key }];
  const bodies = blocksOf(message).flatMap((block) => answerBlock(block, request));
  return [{ type: "request", request, model }, ...bodies, ...report];
}

function answerBlock(block: Raw, request: string): readonly ItemBody[] {
  if (block.type === "text") return [{ type: "text", request, text: stringAt(block, "text") }];
  const thoughts = thoughtBodies(block, request);
  if (thoughts.length > 0) return thoughts;
  if (block.type !== "tool_use") return [unknownBody(`assistant/${wordOf(block.type)}`, block)];
  const input = inputOf(block.input);
  return [{ type: "call", request, callId: stringAt(block, "id"), tool: stringAt(block, "name"), input }];
}

export function clineMessage(message: Raw): readonly ItemBody[] {
  return blocksOf(message).flatMap((block): readonly ItemBody[] => {
    if (block.type === "tool_result") return [resultBody(block)];
    if (block.type === "file") {
      const text = [stringAt(block, "path"), stringAt(block, "content")].filter((part) => part !== "").join("\n");
      return [{ type: "message", from: "injected", text, images: 0 }];
    }
    const { text, images } = contentOf(block);
    if (text === "" && images === 0) return [unknownBody(`user/${wordOf(block.type)}`, block)];
    return [{ type: "message", from: isOfProgram(text) ? "injected" : "typed", text, images }];
  });
}

function blocksOf(message: Raw): readonly Raw[] {
  const { content } = message;
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
      ? content.map(recordOf)
      : [];
}

function resultBody(block: Raw): ItemBody {
  const parts: readonly unknown[] = Array.isArray(block.content) ? block.content : [block.content];
  const contents = parts.map(resultPart);
  const failures = parts.filter((part) => recordOf(part).success === false);
  return {
    type: "result",
    callId: stringAt(block, "tool_use_id"),
    tool: stringAt(block, "name") || null,
    text: contents.flatMap((one) => (one.text === "" ? [] : [one.text])).join("\n"),
    failed: block.is_error === true || (failures.length > 0 && failures.length === parts.length),
    images: contents.reduce((sum, one) => sum + one.images, 0),
  };
}

/** What a tool gave for one of several questions is a record, which the model saw as JSON. */
function resultPart(part: unknown): Content {
  const record = recordOf(part);
  if (part === undefined || part === null) return { text: "", images: 0 };
  const isBlock = typeof part === "string" || typeof record.text === "string" || typeof record.type === "string";
  return isBlock ? contentOf(part) : { text: spacedJson(part), images: 0 };
}

/** What the older extension writes on the user's side: the state of the editor, and results of tools called in a text. */
function isOfProgram(text: string): boolean {
  return /^\s*(?:<environment_details>|<explicit_instructions|<file_content |\[[a-z_]+(?: for [^\n]*)?\] Result:|\[TASK RESUMPTION\])/.test(
    text,
  );
}

/**
 * The session files of 2026 count what was read and written with the input (their `cost` agrees only so). A report that
 * cannot be so counts apart, as the older extension does, which keeps reads and writes in one number.
 */
function usageOf(metrics: Raw): Usage | null {
  const older = recordAt(metrics, "tokens");
  const of = (key: string) => countAt(metrics, key) ?? 0;
  const cacheRead = of("cacheReadTokens") + (countAt(older, "cached") ?? 0);
  const cacheWriteOther = of("cacheWriteTokens");
  const input = of("inputTokens");
  const inner = input >= cacheRead + cacheWriteOther ? cacheRead + cacheWriteOther : 0;
  const uncached = input > 0 ? input - inner : (countAt(older, "prompt") ?? 0);
  const output = of("outputTokens") + (countAt(older, "completion") ?? 0);
  if (uncached + cacheRead + cacheWriteOther + output === 0) return null;
  return { ...noUsage, uncached, cacheRead, cacheWriteOther, output };
}
