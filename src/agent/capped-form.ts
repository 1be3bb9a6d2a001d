import { estimate } from "../budget/count.ts";
import type { FirstForm, FormInput } from "../digest/form.ts";
import { clipResult } from "../reduction/clip.ts";
import { defaultCaps } from "../workspace/context-budget.ts";
import { returnCap } from "../workspace/context-caps.ts";
import type { AgentConfig } from "./config.ts";

/**
 * How a result enters the prompt, under the project's own cap where it has one: the form is made for it, and what is larger
 * all the same (a form of somebody's own, a result that is shown whole) is cut. Never larger than the original.
 */
export function cappedForm(input: FormInput, { firstForm, caps }: Pick<AgentConfig, "firstForm" | "caps">): FirstForm {
  const own = caps();
  if (own === null) return firstForm(input);
  const isRange = input.form === "range";
  const capTokens = returnCap(own, input.tool, isRange);
  // The usual caps are the forms' own.
  if (capTokens === returnCap(defaultCaps, input.tool, isRange)) return firstForm(input);
  const made = firstForm({ ...input, capTokens });
  const clipped = estimate(made.text) <= capTokens ? null : clipResult(made.text, capTokens, input.handle);
  return clipped === null ? made : { whole: false, text: clipped };
}
