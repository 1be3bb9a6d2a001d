import { bounds } from "../kernel/bounds.ts";
import type { FormInput } from "./form.ts";

/**
 * Bytes up to which a result is shown as it is. A range the model named is whole up to its cap; anything else that is longer
 * than a screen is shortened, since most of it is never looked at again.
 */
export const wholeBytesMax = { output: bounds.formBytesWhole, range: bounds.readTokensMax * 4 } as const;

/** A file that was read without a range is shown by what it declares when it is large; ranges of it are a call away. */
export function limitOf(input: FormInput): number {
  const { form, call } = input;
  if (form !== "range" || call === undefined || rangeNamed.test(call))
    return withinCap(input, wholeBytesMax[form === "range" ? "range" : "output"]);
  return withinCap(input, bounds.fileBytesWhole);
}

/** Bytes that a text may have to be shown whole, where a cap of the project's own leaves room for fewer. */
export function withinCap({ capTokens }: FormInput, bytes: number): number {
  return capTokens === undefined ? bytes : Math.min(bytes, capTokens * cappedBytesPerToken);
}

/** Fewer than usual: a text under a cap is under it whatever it is made of. */
const cappedBytesPerToken = 2;

export function tokensMax({ form, capTokens }: FormInput): number {
  return capTokens ?? (form === "range" ? bounds.readTokensMax : bounds.outputTokensMax);
}

/** As readers of several agents call it. */
const rangeNamed =
  /"(?:startLine|endLine|column|offset|limit|start_line|end_line|view_range|line_start|line_end|lines|range|start|end)"\s*:|^(?:sed|head|tail|nl)\b|\bsed -n\b/;
