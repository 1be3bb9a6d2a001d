import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { signPart, turnForm } from "../../src/testing/simulate/gemini-signature.ts";
import { geminiTraits } from "../../src/testing/simulate/models-gemini.ts";
import type { Answer, Part, Streamed } from "./arbitrary-answer.ts";

type Raw = Readonly<Record<string, unknown>>;

/** An answer as this service streams it: texts cut anywhere, the signature on the first call or behind the last text. */
export function geminiStream(
  answer: Answer,
  n: number,
  model: string,
): Streamed & { readonly turn: { readonly id: string; readonly form: string } } {
  const { reasoning, thought, parts, chunks } = answer;
  const id = `resp_${n}`;
  const thoughts = reasoning === "plain" ? [{ text: thought.toWellFormed(), thought: true }] : [];
  const whole = [...thoughts, ...parts.flatMap((one, at) => partOf(one, n, at))];
  const sent = signed(
    whole.flatMap((one) => piecesOf(one, chunks)),
    model,
    id,
  );
  const usage = answer.reportsUsage ? { promptTokenCount: 900 + n, candidatesTokenCount: 30 } : {};
  const chunk = (some: readonly Raw[], rest: Raw = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: some }, ...rest }],
    responseId: id,
    modelVersion: model,
  });
  const all = [
    ...sent.map((one) => chunk([one])),
    { ...chunk([], { finishReason: "STOP" }), ...(answer.reportsUsage ? { usageMetadata: usage } : {}) },
  ];
  return {
    events: all.map((data) => ({ type: "event", data })),
    blocks: sent.filter((one) => typeof one.text !== "string" && one.functionCall === undefined),
    turn: { id, form: turnForm(sent) },
  };
}

function partOf(one: Part, n: number, at: number): readonly Raw[] {
  if (one.type === "text") return [{ text: one.text.toWellFormed() }];
  if (one.type === "opaque")
    return [{ executableCode: { language: "PYTHON", code: "1" } }, { serverNote: { b: 1, a: [1.5] } }];
  const parsed = parseJson(one.input);
  const args = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  const id = one.id === "own" ? { id: `call_${n}_${at}` } : one.id === "repeated" ? { id: "call_0" } : {};
  return [{ functionCall: { ...id, name: one.tool, args } }];
}

function piecesOf(part: Raw, count: number): readonly Raw[] {
  if (typeof part.text !== "string") return [part];
  const signs = Array.from(part.text);
  const size = Math.max(1, Math.ceil(signs.length / count));
  const pieces = Array.from({ length: count }, (_, at) => signs.slice(at * size, (at + 1) * size).join(""));
  return pieces.map((text) => ({ ...part, text }));
}

function signed(parts: readonly Raw[], model: string, answer: string): readonly Raw[] {
  if (!geminiTraits(model).signs) return parts;
  const call = parts.findIndex((part) => part.functionCall !== undefined);
  if (call >= 0) return parts.map((part, at) => (at === call ? signPart(part, model, answer) : part));
  const speaks = parts.some(({ text, thought }) => typeof text === "string" && text !== "" && thought !== true);
  return speaks ? [...parts, signPart({ text: "" }, model, answer)] : parts;
}
