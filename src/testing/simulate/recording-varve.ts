import { parseJson } from "../../kernel/json.ts";
import type { BrainReply } from "./brain.ts";
import { type RecordedBlock, replyFrom } from "./recorded-blocks.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Line = Readonly<Record<string, unknown>>;

/** The replies in the log of a session of Varve, those to side requests left out. */
export function varveReplies(lines: readonly Line[], blob: (hash: string) => string | null): readonly BrainReply[] {
  const sides = new Set(
    lines.filter(({ type, purpose }) => type === "request-sent" && purpose === "side").map(({ request }) => request),
  );
  // Long texts lie beside the log.
  const textAt = (value: unknown) => (typeof value === "string" ? value : (blob(textOf(recordOf(value).blob)) ?? ""));
  return lines
    .filter(({ type, request }) => type === "response-received" && !sides.has(request))
    .map(({ blocks }) =>
      replyFrom(
        listOf(blocks)
          .map(recordOf)
          .flatMap((block) => blockOf(block, textAt)),
      ),
    );
}

function blockOf(block: Line, textAt: (value: unknown) => string): readonly RecordedBlock[] {
  if (block.type === "text" || block.type === "reasoning") return [{ type: block.type, text: textAt(block.text) }];
  if (block.type !== "tool-call") return [];
  const input = parseJson(textAt(block.input));
  return [{ type: "call", tool: textOf(block.tool), input: input.type === "ok" ? input.value : {} }];
}
