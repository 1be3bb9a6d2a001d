import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import type { Raw } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** System prompt and tools, which newer versions write down: as they build them, and as they sent them. */
export function claudeCodeHeads() {
  const last = { system: "", tools: "" };
  return (record: Raw): readonly ItemBody[] | null => {
    const head = headOf(record);
    if (head === null) return null;
    const text = contentOf(head.system).text;
    const tools = listAt(head, "tools")
      .filter(isRecord)
      .map((tool) => ({ name: stringAt(tool, "name"), text: spacedJson(isRecord(tool.schema) ? tool.schema : tool) }));
    const said = tools.map((tool) => tool.text).join("\n");
    const isNewText = text !== "" && text !== last.system;
    const areNewTools = said !== "" && said !== last.tools;
    if (isNewText) last.system = text;
    if (areNewTools) last.tools = said;
    return [
      ...(isNewText ? [{ type: "head", part: "system", text } as const] : []),
      ...(areNewTools ? [{ type: "head", part: "tools", tools } as const] : []),
    ];
  };
}

function headOf(record: Raw): Raw | null {
  if (record.type === "api-request-shape") return recordAt(record, "shape");
  const attachment = recordAt(record, "attachment");
  if (record.type !== "attachment" || attachment.type !== "prompt_snapshot") return null;
  return { system: attachment.systemPrompt, tools: attachment.tools };
}
