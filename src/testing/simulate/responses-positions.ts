import { chain, hashOf } from "../../kernel/hash.ts";
import { lifetimes, type Position } from "./cache.ts";
import { isTurnScoped, type SimMark, type SimSegment } from "./segment.ts";
import type { SimModel } from "./sim-model.ts";
import { recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** What is no prompt text but part of the key, by the name the service's diagnosis gives it (PROTOCOLS B.2). */
export function responsesKeyOf(body: Body): Readonly<Record<string, string>> {
  const { format, verbosity } = recordOf(body.text);
  return {
    prompt_cache_key: textOf(body.prompt_cache_key),
    text_format: recordOf(format).type === undefined ? '{"type":"text"}' : JSON.stringify(format),
    // What a `configuration_update` sets is a part of the input, not of the key (B.3).
    reasoning_effort: textOf(recordOf(body.reasoning).effort) || "medium",
    verbosity: textOf(verbosity) || "medium",
    tool_choice: choiceOf(body.tool_choice),
  };
}

/** Restricting a fixed list of tools is the way that moves no prefix (B.3). */
function choiceOf(choice: unknown): string {
  if (choice === undefined || choice === null || recordOf(choice).type === "allowed_tools") return "auto";
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}

/** One position per rendered piece; the latest breakpoints write, and the end of the prompt does where it may (B.2). */
export function responsesPositions(
  body: Body,
  segments: readonly SimSegment[],
  key: string,
  model: SimModel,
): readonly Position[] {
  const lasting = segments.filter((segment) => !isTurnScoped(segment));
  const options = recordOf(body.prompt_cache_options);
  const isImplicit = options.mode !== "explicit";
  const marked = lasting.flatMap(({ mark }, index) => (mark === null ? [] : [index]));
  const written = new Set(marked.slice(isImplicit ? -writtenMax + 1 : -writtenMax));
  const usual: SimMark = options.ttl === "12h" ? "12h" : "30m";
  let hash = hashOf(`${model.id} ${key}`);
  let tokens = 0;
  return lasting.map(({ hash: own, mark, tokens: size }, index) => {
    hash = chain(hash, own);
    tokens += Math.ceil(size * model.tokenRate);
    const marks = [
      ...(written.has(index) && mark !== null ? [mark] : []),
      ...(isImplicit && index === lasting.length - 1 ? [usual] : []),
    ];
    const writeMs = marks.length === 0 ? null : Math.max(...marks.map((one) => lifetimes[one]));
    return { key: hash, tokens, writeMs, isMarked: mark !== null };
  });
}

const writtenMax = 4;
