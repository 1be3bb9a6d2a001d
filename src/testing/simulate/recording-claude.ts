import type { BrainReply } from "./brain.ts";
import { type RecordedBlock, replyFrom } from "./recorded-blocks.ts";
import { blocksOf, recordOf, textOf } from "./value.ts";

type Line = Readonly<Record<string, unknown>>;

/**
 * The replies of a transcript of Claude Code (PROTOCOLS I), along the branch that its last message ends. One reply lies
 * on several lines of the same `message.id`; those of sub-agents and those no model made are left out.
 */
export function claudeReplies(lines: readonly Line[]): readonly BrainReply[] {
  const main = lines.filter(({ isSidechain, isMeta }) => isSidechain !== true && isMeta !== true);
  const said = main.filter((line) => line.type === "assistant" && recordOf(line.message).model !== "<synthetic>");
  const branch = branchOf(lines, main);
  const onBranch = new Set(said.filter((line) => branch.has(textOf(line.uuid))).map(idOf));
  const replies = new Map<string, RecordedBlock[]>();
  for (const line of said) {
    const id = idOf(line);
    if (!onBranch.has(id)) continue;
    const blocks = replies.get(id) ?? [];
    blocks.push(...blocksOf(recordOf(line.message).content).flatMap(blockOf));
    replies.set(id, blocks);
  }
  return [...replies.values()].map(replyFrom);
}

function idOf(line: Line): string {
  return textOf(recordOf(line.message).id) || textOf(line.uuid);
}

/** From the last message back to the first; a compaction's boundary names what stood before it in its own way. */
function branchOf(lines: readonly Line[], main: readonly Line[]): ReadonlySet<string> {
  const byId = new Map(lines.map((line) => [textOf(line.uuid), line]));
  const last = main.findLast(({ type }) => type === "user" || type === "assistant");
  const branch = new Set<string>();
  let at = textOf(last?.uuid);
  while (at !== "" && !branch.has(at)) {
    branch.add(at);
    const line = byId.get(at);
    at = textOf(line?.parentUuid) || textOf(line?.logicalParentUuid);
  }
  // A transcript without these links has no branches.
  return branch.size > 1 ? branch : new Set(main.map(({ uuid }) => textOf(uuid)));
}

function blockOf(block: Line): readonly RecordedBlock[] {
  if (block.type === "text") return [{ type: "text", text: textOf(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textOf(block.thinking) }];
  if (block.type === "tool_use") return [{ type: "call", tool: textOf(block.name), input: block.input ?? {} }];
  return [];
}
