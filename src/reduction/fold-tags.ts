export type Tags = { readonly open: string; readonly close: string };

/** All that a block of folded work is marked with; rare words, so that hardly any text of others has to be touched. */
export const foldTags = {
  fold: tagsOf("folded-history"),
  summary: tagsOf("summary-of-earlier-work"),
  beside: tagsOf("kept-beside-summary"),
  window: tagsOf("earlier-rounds"),
  summaryText: tagsOf("summary-text"),
  kept: tagsOf("kept-items"),
  stored: tagsOf("stored-items"),
  message: tagsOf("user-message"),
  plan: tagsOf("accepted-plan"),
} as const satisfies Readonly<Record<string, Tags>>;

function tagsOf(name: string): Tags {
  return { open: `<${name}>`, close: `</${name}>` };
}

/** A text that quotes a tag must not end what it stands in. */
export function withoutTags(text: string): string {
  return text.replaceAll(closing, "</ $1>");
}

const names = Object.values(foldTags).map(({ close }) => close.slice(2, -1));
const closing = new RegExp(`</[ \\t]*(${names.join("|")})[ \\t]*>`, "gi");
