import type { Handle } from "../kernel/ids.ts";
import { callTitle } from "../log/call-title.ts";
import type { FirstForm, FormInput } from "./form.ts";
import { type Carrier, type Carriers, type Pointed, pointed } from "./pointers.ts";
import { type ShownLines, shownLines } from "./shown-lines.ts";

/** A result as a lane shows it, and the call it is of. */
export type ShownResult = {
  readonly name: string;
  readonly tool: string;
  /** The call's input as it was written. */
  readonly input: () => string;
  readonly handle: () => Handle | null;
  readonly text: string;
  readonly isPointed: boolean;
};

/**
 * Finds the pointers of first forms, one lane's after another. Kept from form to form, since what a lane shows mostly
 * grows; what is found depends on what is shown alone.
 */
export function openPointing(): (input: FormInput, form: FirstForm, shown: readonly ShownResult[]) => Pointed | null {
  let known: readonly ShownResult[] = [];
  let lines: ShownLines = shownLines();
  return (input, form, shown) => {
    // Who asks for the same again did not find it where the pointer led.
    if (shown.some((one) => one.isPointed && one.tool === input.tool && one.input() === input.call)) return null;
    const isGrown = known.length <= shown.length && known.every((one, at) => isSame(one, shown[at]));
    if (!isGrown) lines = shownLines();
    for (const { name, text } of shown.slice(isGrown ? known.length : 0)) lines.add(name, text);
    known = shown;
    return pointed(input, form.text, { lines, of: carriersAmong(shown) });
  };
}

function isSame(one: ShownResult, other: ShownResult | undefined): boolean {
  return one === other || (one.name === other?.name && one.text === other.text);
}

export function carriersAmong(shown: readonly ShownResult[]): Carriers["of"] {
  const byName = new Map(shown.map((one) => [one.name, one]));
  return (name): Carrier | null => {
    const one = byName.get(name);
    if (one === undefined) return null;
    const handle = one.handle();
    return handle === null ? null : { title: `${one.tool} ${callTitle(one.input())}`, handle, text: one.text };
  };
}
