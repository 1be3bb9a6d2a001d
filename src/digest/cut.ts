import { cutJson } from "./cut-json.ts";
import { cutLines } from "./cut-lines.ts";
import { cutPacked } from "./cut-packed.ts";
import type { FormInput } from "./form.ts";
import { formsByType } from "./judges.ts";
import { kindOf } from "./kinds.ts";
import { withinCap } from "./limits.ts";
import { eachTerm } from "./terms.ts";
import { fitsBytes } from "./text.ts";
import { type Cut, sizeOf } from "./under-cap.ts";

/** A text that is too long to be shown whole, as what matters most of it; null where its kind is shown whole so far. */
export function cut(input: FormInput): string | null {
  const kind = kindOf(input, input.text);
  const { whole, aim } = formsByType[kind];
  if (input.form === "output" && fitsBytes(input.text, withinCap(input, whole))) return null;
  const made: Cut = { input, kind, size: sizeOf(input, aim), asked: askedBy(input) };
  return (input.form === "output" ? (cutPacked(made) ?? cutJson(made)) : null) ?? cutLines(made);
}

/** The words of the call and of the conversation. */
function askedBy({ call, named }: FormInput): ReadonlySet<string> {
  const asked = new Set<string>();
  for (const text of [call ?? "", ...(named ?? []).slice(0, namedMax)]) eachTerm(text, (name) => asked.add(name));
  return asked;
}

const namedMax = 100;
