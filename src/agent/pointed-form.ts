import { openPointing, type ShownResult } from "../digest/carriers.ts";
import type { FirstForm, FormInput } from "../digest/form.ts";
import type { Pointed } from "../digest/pointers.ts";
import { madeOnce } from "../kernel/once.ts";
import type { UserBlock } from "../log/block.ts";
import type { State } from "../log/state.ts";
import { toolSearchName } from "../prompt/doc.ts";
import { textOf } from "../prompt/render.ts";
import { handleIn } from "./handle-in.ts";
import type { Lane } from "./lane.ts";
import type { TextCache } from "./texts.ts";

/**
 * A first form that leads to lines the lane has shown; null: none of its lines were worth it, or the provider clears by itself,
 * and so what nobody says in advance.
 */
export function pointedForm(
  input: FormInput,
  form: FirstForm,
  { state, texts }: Pick<Lane, "state" | "texts">,
): Pointed | null {
  if (state().epoch?.providerClearing !== undefined) return null;
  if (input.tool === toolSearchName) return null;
  return pointing(texts, openPointing)(input, form, shownResults(state(), texts));
}

const pointing = madeOnce<TextCache, ReturnType<typeof openPointing>>();

/** Only what was sent: what waits may still get another form. */
function shownResults(state: State, texts: TextCache): readonly ShownResult[] {
  const { live } = state;
  const inputs = new Map(
    live.flatMap(({ block }) => (block.type === "tool-call" ? [[block.callId, block.input]] : [])),
  );
  return live.flatMap(({ id, block }): readonly ShownResult[] => {
    if (block.type !== "tool-result" || isOfTools(block)) return [];
    const { callId, tool, text, pointers } = block;
    const input = () => textOf(inputs.get(callId) ?? "", texts);
    const handle = () => handleIn(state, callId);
    return [{ name: id, tool, input, handle, text: textOf(text, texts), isPointed: pointers !== undefined }];
  });
}

/** What declares tools may stand without its words: it shows no lines to lead to, and none of it leads elsewhere. */
function isOfTools({ tool, reveals }: UserBlock & { readonly type: "tool-result" }): boolean {
  return tool === toolSearchName || reveals !== undefined;
}
