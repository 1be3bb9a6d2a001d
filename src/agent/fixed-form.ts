import type { FormInput } from "../digest/form.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Call } from "../log/state.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import { askedBy } from "./asked-by.ts";
import { cappedForm } from "./capped-form.ts";
import type { Lane } from "./lane.ts";
import { isSliding } from "./memory-now.ts";
import { pageForm } from "./page-form.ts";
import { pointedForm } from "./pointed-form.ts";
import { withheldForm } from "./withheld-form.ts";

/** How a call's result enters the prompt; nothing, where it enters as it is. */
export async function fixedForm(
  call: Call,
  outcome: Pick<ToolOutcome, "output" | "exitCode" | "form" | "served" | "capTokens">,
  lane: Lane,
): Promise<readonly EntryBody[]> {
  const { texts } = lane;
  const { callId } = call;
  const { output: text, exitCode, form: as, served, capTokens } = outcome;
  const tool = served?.name ?? call.tool;
  const handle = handleOf(hashOf(text));
  const cap = capTokens === undefined ? {} : { capTokens };
  const result = { tool, text, exitCode, form: as, handle, ...cap };
  const input: FormInput = { ...result, ...askedBy(call, lane) };
  // A file is shown whole up to its cap: shorter, it is only read again (decision 0028).
  const form = cappedForm(as === "range" ? result : input, lane.config);
  const again = withheldForm(call, { form, text, exitCode, handle }, lane);
  if (again !== null) return [{ type: "form-fixed", callId, handle, ...again }];
  // What a pointer leads to would soon be gone from a window that slides.
  const isOff = lane.config.reductions.pointers === "off" || isSliding(lane);
  const changed = isOff ? null : await pageForm(input, form, lane);
  if (changed !== null) return [{ type: "form-fixed", callId, handle, text: await texts.keep(changed.text) }];
  const pointed = isOff ? null : pointedForm(input, form, lane);
  if (pointed === null && form.whole) return [];
  const fixed = { type: "form-fixed", callId, handle, text: await texts.keep(pointed?.text ?? form.text) } as const;
  if (pointed === null) return [fixed];
  return [{ ...fixed, pointers: { full: await texts.keep(pointed.full), points: pointed.points } }];
}
