import type { FirstForm, FormInput } from "../digest/form.ts";
import { isPage, isPageChange, pageChange, type ShownPage } from "../digest/page-change.ts";
import { itemsOf } from "../kernel/vector.ts";
import { shownIn } from "../log/shown.ts";
import { textOf } from "../prompt/render.ts";
import type { Lane } from "./lane.ts";

/** A page's snapshot as what has changed in it, where the lane shows it; null: it enters as it usually does. */
export async function pageForm(
  input: FormInput,
  form: FirstForm,
  lane: Pick<Lane, "state" | "texts">,
): Promise<FirstForm | null> {
  if (input.form !== "output" || lane.state().epoch?.providerClearing !== undefined || !isPage(input.text)) return null;
  return pageChange(input, form, await shownPages(lane));
}

/** Newest first. One that was cleared shows no refs any more. */
async function shownPages({ state, texts }: Pick<Lane, "state" | "texts">): Promise<readonly ShownPage[]> {
  const results = shownIn(state())
    .flatMap(({ block }) => (block.type === "tool-result" ? [block] : []))
    .slice(-resultsMax)
    .toReversed();
  const byCall = new Map(Array.from(itemsOf(state().originals), (original) => [original.callId, original] as const));
  const pages: ShownPage[] = [];
  for (const { callId, text: shown } of results) {
    const text = textOf(shown, texts);
    const original = byCall.get(callId);
    if (original === undefined || !(refs.test(text) || isPageChange(text))) continue;
    const whole = await texts.read(original.text);
    if (whole !== null && isPage(whole)) pages.push({ handle: original.handle, original: whole, text });
  }
  return pages;
}

const refs = /\bref=\w|\buid=\d/;
/** Results that are looked through for the page, the newest. */
const resultsMax = 30;
