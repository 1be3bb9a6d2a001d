import { stemOf } from "../memory/retrieval-stem.ts";

/** What values in a query say of the parameters that would take them: `on 2026-03-10`, `in Oslo, Norway`. Stems. */
export function shapesIn(query: string): readonly string[] {
  return shapes.flatMap(({ shape, parameters }) => (shape.test(query) ? parameters : []));
}

const days =
  "january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|tonight|yesterday";

const rows: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b\\d{4}[-./]\\d{1,2}[-./]\\d{1,2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)\\b|\\b(?:${days})\\b`, "i"), "date"],
  [/\b\d{1,2}:\d{2}\b|\b\d{1,2} ?(?:am|pm)\b/i, "time"],
  [/\p{Lu}\p{Ll}{1,30}, ?(?:\p{Lu}{2}\b|\p{Lu}\p{Ll})/u, "city location"],
  [/[$€£¥] ?\d/u, "amount price"],
  [/[^\s@]@[^\s@]{1,100}\.\w/, "email"],
  [/https?:\/\//i, "url"],
  [/(?:^|[\s'"`])(?:~|\.{1,2})?\/[\w.-]|\w\.(?:txt|md|json|csv|png|jpe?g|pdf|py|js|ts|html)\b/i, "file path"],
];

const shapes = rows.map(([shape, words]) => ({ shape, parameters: words.split(" ").map(stemOf) }));
