import type { Judge } from "./form.ts";

/** Headings show what there is; a row of a rule or a fence tells nothing. */
export function proseJudge(): Judge {
  return (line) => {
    if (/^#{1,6} \S/.test(line)) return 2;
    return /^\s*(?:[-=*_]{3,}|```\w*|~~~)?\s*$/.test(line) ? 0.05 : 1;
  };
}
