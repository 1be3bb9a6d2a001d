import type { RequestId } from "../kernel/ids.ts";
import type { AssistantBlock, Text } from "../log/block.ts";
import type { EntryBody } from "../log/entry.ts";
import type { WireRequest } from "../ports/model.ts";
import type { Received } from "../provider/codec.ts";
import type { Lane } from "./lane.ts";
import { learned } from "./meter.ts";
import { todoReminder } from "./news.ts";
import type { Prompt } from "./prompt.ts";

/** The step that is answered. */
type Answered = { readonly id: RequestId; readonly wire: WireRequest; readonly prompt: Prompt };

/** An answer as entries: itself, what it taught the estimate, and a word of a todo list that it forgot. */
export async function receivedEntries(
  step: Answered,
  received: Received,
  firstTokenMs: number | null,
  lane: Lane,
): Promise<readonly EntryBody[]> {
  const { messageId, model, stop, usage, report, cleared } = received;
  const blocks = await Promise.all(received.blocks.map((block) => keptBlock(block, lane)));
  const response: EntryBody = {
    type: "response-received",
    request: step.id,
    wire: step.wire.wire,
    model,
    messageId,
    blocks,
    stop,
    usage,
    firstTokenMs,
    report,
    ...(cleared === undefined ? {} : { cleared }),
  };
  const goesOn = blocks.some(({ type }) => type === "tool-call");
  return [response, ...learned(step.prompt, received, lane), ...(goesOn ? todoReminder(lane.state()) : [])];
}

async function keptBlock(block: AssistantBlock, lane: Lane): Promise<AssistantBlock> {
  const keep = async (text: Text): Promise<Text> => (typeof text === "string" ? await lane.texts.keep(text) : text);
  if (block.type === "opaque") return { ...block, wire: await keep(block.wire) };
  const wire = block.wire === undefined ? {} : { wire: await keep(block.wire) };
  if (block.type === "tool-call") return { ...block, ...wire, input: await keep(block.input) };
  return { ...block, ...wire, text: await keep(block.text) };
}
