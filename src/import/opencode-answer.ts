import { noUsage, type Usage } from "../kernel/usage.ts";
import { countAt, listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { unknownBody } from "./document.ts";
import { timeOf } from "./place.ts";
import { type Raw, wordOf } from "./record.ts";
import { inputOf } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** `at` null: the message's own time. */
export type Piece = { readonly at: number | null; readonly body: ItemBody };

/**
 * An answer, which may hold several calls of the model, each between a `step-start` and a `step-finish`. Results stand
 * behind the step that asked for them.
 */
export function opencodeAnswer(info: Raw, parts: readonly Raw[], id: string): readonly Piece[] {
  const steps = stepsOf(parts);
  const last = steps.length - 1;
  const told = steps.map(({ tokens }) => usageOf(tokens));
  // The message repeats what its newest finished step said: one that broke off behind that one has no report.
  const whole = told.every((usage) => usage === null) ? usageOf(recordAt(info, "tokens")) : null;
  const pieces = steps.flatMap((step, index) => {
    const request = index === 0 ? id : `${id}/${index + 1}`;
    return stepPieces(step.parts, info, request, told[index] ?? (index === last ? whole : null));
  });
  return info.error === undefined ? pieces : [...pieces, { at: null, body: unknownBody("error", info.error) }];
}

type Step = { readonly parts: readonly Raw[]; readonly tokens: Raw };

function stepsOf(parts: readonly Raw[]): readonly Step[] {
  const steps: Step[] = [];
  let open: Raw[] = [];
  for (const part of parts) {
    if (part.type === "step-finish") {
      steps.push({ parts: open, tokens: recordAt(part, "tokens") });
      open = [];
    } else if (!bookkeeping.has(wordOf(part.type))) open.push(part);
  }
  return open.length > 0 || steps.length === 0 ? [...steps, { parts: open, tokens: {} }] : steps;
}

/** What the model never sees and nothing is counted from. */
const bookkeeping: ReadonlySet<string> = new Set(["step-start", "snapshot", "patch"]);

function stepPieces(parts: readonly Raw[], info: Raw, request: string, usage: Usage | null): readonly Piece[] {
  if (usage === null && parts.length === 0) return [];
  const model = stringAt(info, "modelID") || stringAt(recordAt(info, "model"), "modelID") || null;
  const start: Piece = { at: null, body: { type: "request", request, model } };
  const created = wordOf(recordAt(info, "time").created);
  // A forked session has copies under new ids.
  const key = `opencode:${created}:${request.split("/")[1] ?? ""}:${model}:${JSON.stringify(usage)}`;
  const report: readonly Piece[] =
    usage === null ? [] : [{ at: null, body: { type: "usage", request, usage, known: "all", key } }];
  return [start, ...parts.flatMap((part) => partPieces(part, request)), ...report, ...parts.flatMap(resultPieces)];
}

function partPieces(part: Raw, request: string): readonly Piece[] {
  const at = timeOf(recordAt(part, "time").start);
  switch (part.type) {
    case "text": {
      const text = stringAt(part, "text");
      return text === "" ? [] : [{ at, body: { type: "text", request, text } }];
    }
    case "reasoning":
      return [
        { at, body: { type: "reasoning", request, text: stringAt(part, "text"), opaqueChars: charsIn(part.metadata) } },
      ];
    case "tool":
      return [callPiece(part, request)];
    default:
      return [{ at, body: unknownBody(`assistant/${wordOf(part.type)}`, part) }];
  }
}

function callPiece(part: Raw, request: string): Piece {
  const state = recordAt(part, "state");
  const input = inputOf(state.input);
  const body: ItemBody = { type: "call", request, callId: callIdOf(part), tool: stringAt(part, "tool"), input };
  return { at: timeOf(recordAt(state, "time").start), body };
}

function resultPieces(part: Raw): readonly Piece[] {
  const state = recordAt(part, "state");
  const failed = state.status === "error";
  if (part.type !== "tool" || (!failed && state.status !== "completed")) return [];
  const images = listAt(state, "attachments").filter((one) =>
    stringAt(recordOf(one), "mime").startsWith("image/"),
  ).length;
  const text = stringAt(state, failed ? "error" : "output");
  const tool = stringAt(part, "tool") || null;
  const at = timeOf(recordAt(state, "time").end);
  return [{ at, body: { type: "result", callId: callIdOf(part), tool, text, failed, images } }];
}

function callIdOf(part: Raw): string {
  return stringAt(part, "callID") || stringAt(part, "id");
}

/** Signatures and encrypted reasoning, under whatever name a provider gives them. */
function charsIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + charsIn(one), 0);
}

/**
 * `input` is without what was read from the cache or written. `reasoning` stands beside `output` and is paid on top of it;
 * where the total that is recorded says that it is a part of it, it is counted once.
 */
function usageOf(tokens: Raw): Usage | null {
  const of = (key: string) => countAt(tokens, key) ?? 0;
  const cache = recordAt(tokens, "cache");
  const cacheRead = countAt(cache, "read") ?? 0;
  const cacheWriteOther = countAt(cache, "write") ?? 0;
  const prompt = of("input") + cacheRead + cacheWriteOther;
  const isInside = of("total") > 0 && of("total") === prompt + of("output") && of("reasoning") <= of("output");
  const output = isInside ? of("output") : of("output") + of("reasoning");
  if (prompt + output === 0) return null;
  return { ...noUsage, uncached: of("input"), cacheRead, cacheWriteOther, output, reasoning: of("reasoning") };
}
