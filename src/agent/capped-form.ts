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
  const capTokens = capOf(input, caps());
  if (capTokens === null) return firstForm(input);
  const made = firstForm({ ...input, capTokens });
  const clipped = estimate(made.text) <= capTokens ? null : clipResult(made.text, capTokens, input.handle);
  return clipped === null ? made : { whole: false, text: clipped };
}

/** null: the usual one, which is the forms' own. What the project says of a tool wins over what is said of its server. */
function capOf({ tool, form, capTokens }: FormInput, own: ReturnType<AgentConfig["caps"]>): number | null {
  const isRange = form === "range";
  const cap = own === null ? null : returnCap(own, tool, isRange);
  const isOwn = cap !== null && cap !== returnCap(defaultCaps, tool, isRange);
  return isOwn ? cap : (capTokens ?? null);
}
