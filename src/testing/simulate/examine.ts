import type { Hash } from "../../kernel/ids.ts";
import { type Binding, bindingOf, bindingPrefix, type Dropped, inspectThinking } from "./binding.ts";
import type { Position } from "./cache.ts";
import { type AppliedEdit, type Edited, withEdits } from "./context-edits.ts";
import { cut } from "./cut.ts";
import type { SimModel } from "./models.ts";
import { hiddenTokens } from "./piece.ts";
import { anthropicPositions, chatPositions, type KeyParts, keyPartsOf, ratedTokens } from "./positions.ts";
import { responsesPositions } from "./responses-positions.ts";
import type { SimSegment } from "./segment.ts";
import { inputItemsOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** A valid request as the model would read it: what is rendered, how much it is, where it can be cached. */
export type Examined = {
  /** The body the brain sees: ours but for messages a local server cut away. */
  readonly body: Body;
  readonly segments: readonly SimSegment[];
  readonly promptTokens: number;
  readonly key: KeyParts;
  readonly positions: readonly Position[];
  readonly dropped: readonly Dropped[];
  readonly prefix: Hash;
  readonly overflow: boolean;
  /** What a named cached content pays for. */
  readonly heldTokens: number;
  /** What the service took out, and how much there was before. */
  readonly applied: readonly AppliedEdit[];
  readonly originalTokens: number;
};

export function examine(bodyText: string, body: Body, model: SimModel, account: Binding, heldTokens = 0): Examined {
  const all = cut(model.wire, bodyText);
  const dropped = droppedThinking(body, all, model, account);
  const gone = new Set(dropped.map(({ path }) => path));
  const rendered = shownThinking(all, body, model).filter((segment) => !gone.has(segment.path));
  const originalTokens = tokensOf(rendered, model);
  const edited = editedBy(body, rendered, model);
  const promptTokens = tokensOf(edited.segments, model);
  const overflow = promptTokens > model.windowTokens;
  if (overflow && model.chat.overflow === "cut-oldest" && model.wire === "chat")
    return cutOldest(rendered, body, model);
  // Edits are the service's own affair: what reasoning is bound to is what the client sent.
  const prefix = bindingPrefix(all);
  const { applied } = edited;
  return {
    ...placed(edited.segments, body, model),
    ...{ body: edited.body, promptTokens, dropped, prefix, overflow, heldTokens, applied, originalTokens },
  };
}

function editedBy(body: Body, segments: readonly SimSegment[], model: SimModel): Edited {
  if (model.wire !== "anthropic") return { body, segments, applied: [] };
  return withEdits(body, segments, (some) => tokensOf(some, model));
}

function placed(
  segments: readonly SimSegment[],
  body: Body,
  model: SimModel,
): Pick<Examined, "segments" | "key" | "positions"> {
  const key = keyPartsOf(body, model);
  return { segments, key, positions: placers[model.wire](body, segments, key, model) };
}

type Place = (body: Body, segments: readonly SimSegment[], key: KeyParts, model: SimModel) => readonly Position[];

const placers: Readonly<Record<SimModel["wire"], Place>> = {
  anthropic: anthropicPositions,
  chat: (_body, segments, key, model) => chatPositions(segments, key, model),
  responses: (body, segments, key, model) =>
    model.responses.cache === "steps"
      ? chatPositions(segments, key, model)
      : responsesPositions(body, segments, key.tools, model),
  gemini: (_body, segments, key, model) => chatPositions(segments, key, model),
};

function tokensOf(segments: readonly SimSegment[], model: SimModel): number {
  const request = Math.ceil(hiddenTokens.request * model.tokenRate);
  return segments.reduce((sum, segment) => sum + ratedTokens(segment, model), request);
}

function droppedThinking(
  body: Body,
  segments: readonly SimSegment[],
  model: SimModel,
  account: Binding,
): readonly Dropped[] {
  const { mismatched } = inspectThinking(body, segments, model);
  const binding = bindingOf(body, account);
  return mismatched.filter(({ reason }) => reason === "model_binding_mismatch" || binding === "drop_block");
}

/** Older models read only the newest turn's thinking (PROTOCOLS A.3). */
function shownThinking(segments: readonly SimSegment[], body: Body, model: SimModel): readonly SimSegment[] {
  if (!readsTurnOnly(body, model)) return segments;
  const starts = model.wire === "responses" ? inputItemsOf(body) : messagesOf(body);
  const turn = starts.findLastIndex((message) => message.role === "user" && !holdsResult(message.content));
  return segments.filter((segment) => segment.kind !== "reasoning" || Number(segment.path.split(".")[1]) > turn);
}

/** On the Responses wire a request may say which reasoning is rendered (B.3). */
function readsTurnOnly(body: Body, model: SimModel): boolean {
  const asked = model.wire === "responses" ? recordOf(body.reasoning).context : undefined;
  if (asked === "current_turn" || asked === "all_turns") return asked === "current_turn";
  return model.thinking === "turn";
}

function holdsResult(content: unknown): boolean {
  return listOf(content).some(
    (block) => typeof block === "object" && block !== null && "type" in block && block.type === "tool_result",
  );
}

/** As some local servers do without a word: the oldest messages go until the rest fits (PROTOCOLS D). */
function cutOldest(segments: readonly SimSegment[], body: Body, model: SimModel): Examined {
  const messages = messagesOf(body);
  let kept = segments;
  const gone = new Set<number>();
  for (let index = 0; index < messages.length - 1 && tokensOf(kept, model) > model.windowTokens; index += 1) {
    const role = textOf(messages[index]?.role);
    if (role === "system" || role === "developer") continue;
    gone.add(index);
    kept = kept.filter((segment) => !segment.path.startsWith(`messages.${index}.`));
  }
  const shown = { ...body, messages: messages.filter((_, index) => !gone.has(index)) };
  const promptTokens = Math.min(tokensOf(kept, model), model.windowTokens);
  return {
    ...placed(kept, body, model),
    body: shown,
    promptTokens,
    dropped: [],
    prefix: bindingPrefix(kept),
    overflow: true,
    heldTokens: 0,
    applied: [],
    originalTokens: promptTokens,
  };
}
