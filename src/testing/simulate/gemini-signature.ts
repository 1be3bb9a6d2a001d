import { canonicalJson, type Json } from "../../kernel/canonical.ts";
import { decodeBase64, sealOf } from "./seal.ts";
import { recordOf, textOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

/** What a signature says: who made it, in which answer, for which part. */
type Sealed = { readonly model: string; readonly answer: string; readonly part: string };

/** Documented stand-in for a signature that was lost or never was (PROTOCOLS C.2). */
export const dummySignature = "skip_thought_signature_validator";

/** The part with the signature that it has to come back with. */
export function signPart(part: Part, model: string, answer: string): Part {
  const payload = `${model} ${answer} ${sealOf("part", canonical(dataOf(part)))}`;
  return { ...part, thoughtSignature: btoa(`${payload} ${sealOf(payload, "signature")}`) };
}

/** Null for what we did not make. */
export function openSignature(signature: unknown): Sealed | null {
  const [model = "", answer = "", part = "", mac = ""] = decodeBase64(textOf(signature)).split(" ");
  return mac !== "" && mac === sealOf(`${model} ${answer} ${part}`, "signature") ? { model, answer, part } : null;
}

export function isUnchanged(part: Part, sealed: Sealed): boolean {
  return asSent([part]).some(([one = {}]) => sealed.part === sealOf("part", canonical(dataOf(one))));
}

/** Whether these parts are what left here in that form. */
export function hasForm(parts: readonly Part[], form: string): boolean {
  return asSent(parts).some((some) => turnForm(some) === form);
}

/** A client may name the calls that came without a name. */
function asSent(parts: readonly Part[]): readonly (readonly Part[])[] {
  const nameless = parts.map((part) => {
    if (part.functionCall === undefined) return part;
    const { id: _id, ...call } = recordOf(part.functionCall);
    return { ...part, functionCall: call };
  });
  return [parts, nameless];
}

export function isSigned(part: Part): boolean {
  return part.thoughtSignature !== undefined && part.thoughtSignature !== null;
}

/**
 * One spelling for what a model turn holds, so that an answer can be known again: thoughts may be left out and unsigned
 * texts be joined, all else stands as it was sent.
 */
export function turnForm(parts: readonly Part[]): string {
  const items: string[] = [];
  let text = "";
  const endText = () => {
    if (text !== "") items.push(canonical({ text }));
    text = "";
  };
  for (const part of parts.filter(({ thought }) => thought !== true)) {
    const signature = part.thoughtSignature === dummySignature ? undefined : part.thoughtSignature;
    if (typeof part.text === "string" && signature === undefined) {
      text += part.text;
      continue;
    }
    endText();
    items.push(canonical({ ...dataOf(part), signature: textOf(signature) }));
  }
  endText();
  return JSON.stringify(items);
}

/** A call without arguments is one with none. */
function dataOf(part: Part): Part {
  const { thoughtSignature: _signature, thought: _thought, ...data } = part;
  if (data.functionCall === undefined) return data;
  const { id, name, args } = recordOf(data.functionCall);
  const given = id === undefined || id === "" ? {} : { id };
  return { ...data, functionCall: { ...given, name, args: args ?? {} } };
}

function canonical(value: unknown): string {
  // What came from JSON or goes into it is JSON.
  return canonicalJson(value as Json);
}
