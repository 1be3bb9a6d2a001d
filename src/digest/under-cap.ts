import { estimate } from "../budget/count.ts";
import type { FormInput, TextKind } from "./form.ts";
import type { Aim } from "./judges.ts";
import { tokensMax } from "./limits.ts";
import type { Size } from "./select.ts";
import { utf8Bytes } from "./text.ts";

export type Sized = Size & { readonly tokens: number };

/** What every way to shorten a text is given. */
export type Cut = {
  readonly input: FormInput;
  readonly kind: TextKind;
  readonly size: Sized;
  /** Names that the call or the conversation used. */
  readonly asked: ReadonlySet<string>;
};

/** How much of a text a form may hold, in bytes as long as it is made and in tokens in the end. */
export function sizeOf(input: FormInput, aim: Aim): Sized {
  const tokens = tokensMax(input) * spent;
  const bytesMax = tokens * density(input.text);
  return { tokens, bytesMax, bytesAim: Math.min(aim.base + aim.share * input.text.length, bytesMax) };
}

/** Makes the form again, smaller, while it costs more tokens than it may. Only what is shown is ever counted. */
export function underCap(size: Sized, made: (size: Size) => string): string {
  let shown = made(size);
  let scale = 1;
  for (let tries = 0; tries < triesMax; tries++) {
    const tokens = estimate(shown);
    if (tokens <= size.tokens) break;
    scale *= (size.tokens / tokens) * 0.97;
    shown = made({ bytesAim: size.bytesAim * scale, bytesMax: size.bytesMax * scale });
  }
  return shown;
}

const triesMax = 6;
/** The estimate may be some percent low (budget/count.ts). */
const spent = 0.88;

/** Bytes to a token, as far as the text's beginning and middle tell; at most what is counted on. */
function density(text: string): number {
  const middle = Math.floor(text.length / 2);
  const sample = text.slice(0, sampleChars) + text.slice(middle, middle + sampleChars);
  return Math.min(bytesPerToken, utf8Bytes(sample) / Math.max(1, estimate(sample)));
}

const sampleChars = 2_000;
const bytesPerToken = 4;
