import { cutAnthropic } from "./cut-anthropic.ts";
import type { SimSegment } from "./segment.ts";
import { blocksOf, listOf, messagesOf, numberOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type Block = Readonly<Record<string, unknown>>;
type Placed = { readonly block: Block; readonly path: string };

/** As the response reports it. */
export type AppliedEdit = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly cleared_input_tokens: number;
};

/** A request after the service's own edits; the client keeps and sends the whole (PROTOCOLS A.4). */
export type Edited = {
  readonly body: Body;
  readonly segments: readonly SimSegment[];
  readonly applied: readonly AppliedEdit[];
};

type Count = (segments: readonly SimSegment[]) => number;
type Edit = (edit: Body, before: Edited, count: Count) => Edited;

const triggerUsual = 100_000;
const keptUsesUsual = 3;
const keptTurnsUsual = 1;
const placeholder = "[Old result of a tool, cleared to save context]";

/** Nothing is remembered from request to request: each is edited as it comes. */
export function withEdits(body: Body, segments: readonly SimSegment[], count: Count): Edited {
  return listOf(recordOf(body.context_management).edits)
    .map(recordOf)
    .reduce<Edited>((before, edit) => edits[textOf(edit.type)]?.(edit, before, count) ?? before, {
      body,
      segments,
      applied: [],
    });
}

/** A compaction is no edit of what is there: it has a pass of its own. */
const edits: Readonly<Record<string, Edit>> = {
  clear_thinking_20251015: clearThinking,
  clear_tool_uses_20250919: clearToolUses,
};

/** Thinking of older assistant turns is not rendered. It keeps its places in the body, which the model does not read. */
function clearThinking({ type, keep }: Body, before: Edited, count: Count): Edited {
  if (keep === "all" || recordOf(keep).type === "all") return before;
  const kept = numberOf(recordOf(keep).value) ?? keptTurnsUsual;
  const turns = new Set(before.segments.flatMap(({ kind, path }) => (kind === "reasoning" ? [turnOf(path)] : [])));
  const gone = new Set([...turns].slice(0, -kept));
  if (gone.size === 0) return before;
  const segments = before.segments.filter(({ kind, path }) => kind !== "reasoning" || !gone.has(turnOf(path)));
  const cleared = count(before.segments) - count(segments);
  return {
    ...before,
    segments,
    applied: [
      ...before.applied,
      { type: textOf(type), cleared_input_tokens: cleared, cleared_thinking_turns: gone.size },
    ],
  };
}

function turnOf(path: string): string {
  return path.split(".")[1] ?? "";
}

/** Results of all but the newest uses give way to a placeholder, once there is enough of them. */
function clearToolUses(edit: Body, before: Edited, count: Count): Edited {
  const blocks = placed(before.body);
  const uses = blocks.filter(({ block }) => block.type === "tool_use");
  const trigger = recordOf(edit.trigger);
  const reached = trigger.type === "tool_uses" ? uses.length : count(before.segments);
  if (reached <= (numberOf(trigger.value) ?? triggerUsual)) return before;

  const kept = numberOf(recordOf(edit.keep).value) ?? keptUsesUsual;
  const excluded = listOf(edit.exclude_tools);
  const open = uses.filter(({ block }) => !excluded.includes(block.name));
  const old = new Map(
    open.slice(0, Math.max(0, open.length - kept)).map(({ block }) => [textOf(block.id), block] as const),
  );
  const changed = new Map(blocks.flatMap((one) => clearedBlock(one, old, edit.clear_tool_inputs)));
  if (changed.size === 0) return before;

  const body = replaced(before.body, changed);
  const fresh = new Map(cutAnthropic(JSON.stringify(body)).map((segment) => [segment.path, segment] as const));
  const segments = before.segments.map((segment) =>
    changed.has(segment.path) ? (fresh.get(segment.path) ?? segment) : segment,
  );
  const cleared = count(before.segments) - count(segments);
  if (cleared < (numberOf(recordOf(edit.clear_at_least).value) ?? 1)) return before;
  const applied = { type: textOf(edit.type), cleared_input_tokens: cleared, cleared_tool_uses: old.size };
  return { body, segments, applied: [...before.applied, applied] };
}

function clearedBlock(
  { block, path }: Placed,
  old: ReadonlyMap<string, Block>,
  inputs: unknown,
): readonly (readonly [string, Block])[] {
  if (block.type === "tool_result" && old.has(textOf(block.tool_use_id)))
    return [[path, { ...block, content: placeholder }]];
  const isCleared = inputs === true || listOf(inputs).includes(block.name);
  return block.type === "tool_use" && isCleared && old.has(textOf(block.id)) ? [[path, { ...block, input: {} }]] : [];
}

function placed(body: Body): readonly Placed[] {
  return messagesOf(body).flatMap(({ content }, at) =>
    blocksOf(content).map((block, place) => ({ block, path: `messages.${at}.content.${place}` })),
  );
}

function replaced(body: Body, changed: ReadonlyMap<string, Block>): Body {
  const messages = messagesOf(body).map((message, at) => ({
    ...message,
    content: blocksOf(message.content).map((block, place) => changed.get(`messages.${at}.content.${place}`) ?? block),
  }));
  return { ...body, messages };
}
