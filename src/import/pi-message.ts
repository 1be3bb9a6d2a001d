import { isRecord } from "../kernel/canonical.ts";
import type { Usage } from "../kernel/usage.ts";
import { countAt, listAt, recordAt, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { type Raw, wordOf } from "./record.ts";
import { inputOf } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** What one of pi's messages says; null: of a role we do not know. `entry` names the entry it stands in. */
export function piMessage(message: Raw, entry: string, raw: string): readonly ItemBody[] | null {
  const role = stringAt(message, "role");
  const read = Object.hasOwn(roles, role) ? roles[role] : undefined;
  return read?.(message, entry, raw) ?? null;
}

const roles: Readonly<Record<string, (message: Raw, entry: string, raw: string) => readonly ItemBody[] | null>> = {
  user: (message) => said("typed", message.content),
  custom: (message) => said("injected", message.content),
  hookMessage: (message) => said("injected", message.content),
  branchSummary: (message) => said("summary", message.summary),
  compactionSummary: (message) => said("summary", message.summary),
  bashExecution: (message) => (message.excludeFromContext === true ? null : said("injected", ranText(message))),
  toolResult: (message) => {
    const { text, images } = contentOf(message.content);
    const tool = stringAt(message, "toolName") || null;
    return [
      { type: "result", callId: stringAt(message, "toolCallId"), tool, text, failed: message.isError === true, images },
    ];
  },
  assistant: answer,
};

function said(from: "typed" | "injected" | "summary", content: unknown): readonly ItemBody[] {
  const { text, images } = contentOf(content);
  return text === "" && images === 0 ? [] : [{ type: "message", from, text, images }];
}

/** A command that the person ran, as the model is told of it. */
function ranText(message: Raw): string {
  const output = stringAt(message, "output");
  const shown = output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``;
  const code = countAt(message, "exitCode") ?? 0;
  const end = code === 0 ? "" : `\n\nCommand exited with code ${code}`;
  return `Ran \`${stringAt(message, "command")}\`\n${shown}${end}`;
}

function answer(message: Raw, entry: string, raw: string): readonly ItemBody[] {
  const response = stringAt(message, "responseId");
  const request = `pi:${entry}`;
  const usage = usageOf(recordAt(message, "usage"));
  const key = response || `${wordOf(message.timestamp)}:${JSON.stringify(usage)}`;
  const content =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : listAt(message, "content");
  return [
    { type: "request", request, model: stringAt(message, "model") || null },
    ...content.filter(isRecord).map((block) => blockBody(block, request, raw)),
    ...(usage === null ? [] : [{ type: "usage", request, usage, known: "all", key } as const]),
  ];
}

function blockBody(block: Raw, request: string, raw: string): ItemBody {
  if (block.type === "text") return { type: "text", request, text: stringAt(block, "text") };
  if (block.type === "thinking") {
    const opaqueChars = stringAt(block, "thinkingSignature").length;
    return { type: "reasoning", request, text: stringAt(block, "thinking"), opaqueChars };
  }
  if (block.type !== "toolCall") return { type: "unknown", kind: `assistant/${wordOf(block.type)}`, raw };
  const input = inputOf(block.arguments);
  return { type: "call", request, callId: stringAt(block, "id"), tool: stringAt(block, "name"), input };
}

/** Disjoint as recorded. All zero is what an aborted call leaves behind: unknown, not nothing. */
function usageOf(raw: Raw): Usage | null {
  const count = (field: string) => countAt(raw, field) ?? 0;
  const written1h = Math.min(count("cacheWrite1h"), count("cacheWrite"));
  const usage: Usage = {
    uncached: count("input"),
    cacheRead: count("cacheRead"),
    cacheWrite5m: 0,
    cacheWrite1h: written1h,
    cacheWriteOther: count("cacheWrite") - written1h,
    output: count("output"),
    reasoning: count("reasoning"),
  };
  return Object.values(usage).every((tokens) => tokens === 0) ? null : usage;
}
